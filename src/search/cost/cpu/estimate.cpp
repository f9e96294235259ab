#include "search/cost/cpu/estimate.hpp"

#include "base/error.hpp"
#include "plan/memory_need.hpp"
#include "problem/validate.hpp"
#include "search/cost/cpu/cost_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace swirl::search {

namespace {

void add_rejections(Choice& choice, const planning::DimensionPass& pass, const std::vector<Candidate>& all,
                    const MachineModel& machine) {
    for (std::size_t k = 1; k < all.size(); ++k)
        choice.rejections.push_back(
            {.what = rules::to_string(all[k].tree),
             .why = fmt::format("estimated at {:.2f} times the cost", all[k].cycles / all[0].cycles),
             .seconds = all[k].cycles / machine.hertz});
    for (Rejection& rejection : inapplicable_rules(pass.nonterminal))
        choice.rejections.push_back(std::move(rejection));
}

} // namespace

std::vector<Rejection> inapplicable_rules(const formula::Formula& nonterminal) {
    std::vector<Rejection> result;
    for (const rules::BreakdownRule& rule : rules::registry())
        if (const auto applicability = rule.applicable(nonterminal); !applicability.ok())
            result.push_back(
                {std::string(rule.name), applicability.reason(), applicability.is_for_other_transform()});
    return result;
}

namespace {

/// Calls f(pass, candidates) for each pass, the best candidate first.
template <class F>
void for_each_pass(const Transform& problem, const target::Cpu& cpu, const MachineModel& machine, F&& f) {
    validate_for_cpu(problem);
    planning::require_memory(problem);
    const DataType scalar = planning::arithmetic_of(problem.precision);
    for (const planning::DimensionPass& pass : planning::dimension_passes(problem))
        f(pass, candidates(pass, cpu, scalar, machine));
}

} // namespace

Choice estimate(const Transform& problem, const target::Cpu& cpu, const MachineModel& machine) {
    Choice choice{{cpu.name, planning::TransformSchedule{}}, 0, {}};
    for_each_pass(problem, cpu, machine, [&](const planning::DimensionPass& pass, const auto& all) {
        choice.schedule.transform().passes.push_back({pass.dimension, all[0].tree});
        choice.estimated_seconds += all[0].cycles / machine.hertz;
        add_rejections(choice, pass, all, machine);
    });
    return choice;
}

planning::Schedule estimated_schedule(const Transform& problem, const target::Cpu& cpu,
                                      const MachineModel& machine) {
    planning::Schedule schedule{cpu.name, planning::TransformSchedule{}};
    for_each_pass(problem, cpu, machine, [&](const planning::DimensionPass& pass, const auto& all) {
        schedule.transform().passes.push_back({pass.dimension, all[0].tree});
    });
    return schedule;
}

std::vector<std::optional<double>> pass_seconds(const Transform& problem, const planning::Schedule& schedule,
                                                const target::Cpu& cpu, const MachineModel& machine) {
    const std::vector<planning::DimensionPass> passes = planning::dimension_passes(problem);
    planning::require_passes_for(schedule, passes);
    const DataType scalar = planning::arithmetic_of(problem.precision);
    std::vector<std::optional<double>> result;
    for (std::size_t k = 0; k < passes.size(); ++k) {
        const std::vector<Candidate> all = candidates(passes[k], cpu, scalar, machine);
        const auto found = std::find_if(all.begin(), all.end(), [&](const Candidate& candidate) {
            return candidate.tree == schedule.transform().passes[k].tree;
        });
        result.push_back(found == all.end() ? std::nullopt : std::optional(found->cycles / machine.hertz));
    }
    return result;
}

} // namespace swirl::search
