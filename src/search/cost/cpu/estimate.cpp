#include "search/cost/cpu/estimate.hpp"

#include "base/error.hpp"
#include "plan/memory_need.hpp"
#include "problem/validate.hpp"
#include "search/cost/cpu/cost_model.hpp"

#include <fmt/format.h>

namespace swirl::search {

namespace {

void add_rejections(Choice& choice, const planning::DimensionPass& pass, const std::vector<Candidate>& all) {
    for (std::size_t k = 1; k < all.size(); ++k)
        choice.rejections.push_back(
            {rules::to_string(all[k].tree),
             fmt::format("estimated at {:.2f} times the cost", all[k].cycles / all[0].cycles)});
    for (const rules::BreakdownRule& rule : rules::registry())
        if (const auto applicability = rule.applicable(pass.nonterminal); !applicability.ok())
            choice.rejections.push_back({std::string(rule.name), applicability.reason()});
}

} // namespace

Choice estimate(const Transform& problem, const target::Cpu& cpu, const MachineModel& machine) {
    validate_for_cpu(problem);
    planning::require_memory(problem);
    const DataType scalar = planning::arithmetic_of(problem.precision);
    Choice choice{{cpu.name, planning::TransformSchedule{}}, 0, {}};
    for (const planning::DimensionPass& pass : planning::dimension_passes(problem)) {
        const std::vector<Candidate> all = candidates(pass, cpu, scalar, machine);
        choice.schedule.transform().passes.push_back({pass.dimension, all[0].tree});
        choice.estimated_seconds += all[0].cycles / machine.hertz;
        add_rejections(choice, pass, all);
    }
    return choice;
}

} // namespace swirl::search
