#include "search/candidates/cpu/transforms.hpp"

#include "plan/transform/dimension_passes.hpp"
#include "search/candidates/cpu/dynamic_programming.hpp"
#include "search/candidates/cpu/proposals.hpp"
#include "search/cost/cpu/estimate.hpp"

#include <memory>
#include <utility>

namespace swirl::search {

using planning::Schedule;
using rules::BreakdownTree;

namespace {

constexpr int rounds = 3;
constexpr std::size_t max_neighbours = 32; ///< of one action

/// Changes the tree of one pass at a time.
Action tree_action(std::string name, std::vector<BreakdownTree> (*change)(const BreakdownTree&)) {
    return {std::move(name), [change](const Schedule& incumbent, std::span<const ScheduleCandidate>) {
                std::vector<Schedule> result;
                for (std::size_t k = 0; k < incumbent.transform().passes.size(); ++k)
                    for (BreakdownTree& tree : change(incumbent.transform().passes[k].tree)) {
                        if (result.size() == max_neighbours) return result;
                        Schedule other = incumbent;
                        other.transform().passes[k].tree = std::move(tree);
                        result.emplace_back(std::move(other));
                    }
                return result;
            }};
}

/// Other breakdowns of one of several dimensions.
Action breakdown_action(const Transform& problem, const target::Cpu& cpu, const MachineModel& machine) {
    return {"breakdown of a dimension", [&](const Schedule& incumbent, std::span<const ScheduleCandidate>) {
                const DataType scalar = planning::arithmetic_of(problem.precision);
                std::vector<Schedule> result;
                const auto passes = planning::dimension_passes(problem);
                if (passes.size() < 2) return result;
                for (std::size_t k = 0; k < passes.size(); ++k)
                    for (Candidate& candidate : likely_breakdowns(passes[k], cpu, scalar, machine)) {
                        if (result.size() == max_neighbours) return result;
                        Schedule other = incumbent;
                        other.transform().passes[k].tree = std::move(candidate.tree);
                        result.emplace_back(std::move(other));
                    }
                return result;
            }};
}

/// The tree with all widths of two-sweeps 1.
BreakdownTree without_widths(BreakdownTree tree) {
    if (tree.rule == "two-sweep" && tree.choice.size() == 3) tree.choice[1] = tree.choice[2] = 1;
    for (BreakdownTree& child : tree.children) child = without_widths(std::move(child));
    return tree;
}

} // namespace

SearchSpace cpu_transform_space(const Transform& problem, CpuTransformOptions options) {
    const auto kept = std::make_shared<const CpuTransformOptions>(std::move(options));
    SearchSpace space{.estimate = estimated_schedule(problem, kept->cpu, kept->machine)};
    space.proposals = [&problem, kept](Benchmark& benchmark, double deadline) {
        return DynamicProgramming(problem, *kept, benchmark).schedules(deadline);
    };
    space.actions = {tree_action("radices", radix_neighbours), tree_action("widths", width_neighbours),
                     breakdown_action(problem, kept->cpu, kept->machine)};
    space.rounds = rounds;
    return space;
}

SearchSpace threads_space(const Schedule& for_one_thread) {
    return {
        .estimate = for_one_thread, .actions = {tree_action("widths", width_neighbours)}, .rounds = rounds};
}

bool have_same_arithmetic(const Schedule& a, const Schedule& b) {
    const auto normal = [](Schedule schedule) {
        for (planning::PassSchedule& pass : schedule.transform().passes)
            pass.tree = without_widths(std::move(pass.tree));
        return schedule;
    };
    return normal(a) == normal(b);
}

} // namespace swirl::search
