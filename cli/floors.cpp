#include "cli/floors.hpp"

#include "search/wisdom/wisdom.hpp"

namespace swirl::cli {

search::Floors floors_of(const planning::Plan& plan) {
    static const search::HostProbe probe = [] {
        search::Wisdom wisdom(search::Wisdom::default_file());
        return search::known_probe(wisdom);
    }();
    return search::floors(plan.problem(), plan.flops(), probe);
}

const char* binding_name(const search::Floors& floors) {
    return floors.arithmetic > floors.traffic ? "arithmetic" : "traffic";
}

} // namespace swirl::cli
