#include "cli/floors.hpp"

#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "search/wisdom/wisdom.hpp"

#include <fmt/format.h>

namespace swirl::cli {

const search::HostProbe& this_probe() {
    static const search::HostProbe known = [] {
        search::Wisdom wisdom(search::Wisdom::default_file());
        return search::known_probe(wisdom, {.progress = probe_progress()});
    }();
    return known;
}

search::Floors floors_of(const planning::Plan& plan) {
    return search::floors(plan.problem(), plan.flops(), this_probe());
}

search::Floors floors_of(const MatrixProduct& product, double flops) {
    return search::floors(product, flops, this_probe());
}

search::MachineModel this_machine() { return search::machine_model(this_probe()); }

std::string describe_floors(const search::Floors& floors) {
    return fmt::format("arithmetic {}, traffic {} ({}): {} binds", format_seconds(floors.arithmetic),
                       format_seconds(floors.traffic), floors.level, binding_name(floors));
}

Json json_of_floors(const search::Floors& floors) {
    return {{"arithmetic_seconds", floors.arithmetic},
            {"traffic_seconds", floors.traffic},
            {"level", floors.level},
            {"binding", binding_name(floors)}};
}

const char* binding_name(const search::Floors& floors) {
    return floors.arithmetic > floors.traffic ? "arithmetic" : "traffic";
}

} // namespace swirl::cli
