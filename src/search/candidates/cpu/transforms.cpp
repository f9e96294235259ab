#include "search/candidates/cpu/transforms.hpp"

#include "loops/twiddle.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "search/candidates/cpu/dynamic_programming.hpp"
#include "search/candidates/cpu/proposals.hpp"
#include "search/candidates/cpu/subproblems.hpp"
#include "search/cost/cpu/estimate.hpp"

#include <algorithm>
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

/// The tree with all widths of two-sweeps 1 that change no bits; those of several dimensions together are kept.
BreakdownTree without_widths(BreakdownTree tree, const formula::Formula& transform) {
    if (tree.rule == "two-sweep" && tree.choice.size() == 3) {
        tree.choice[1] = 1;
        if (block_widths_keep_bits(transform.rows())) tree.choice[2] = 1;
    }
    if (tree.children.empty() || transform.is<formula::Kronecker>()) return tree;
    const std::vector<formula::Formula> children = children_of(tree.rule, tree.choice, transform);
    for (std::size_t k = 0; k < std::min(children.size(), tree.children.size()); ++k)
        tree.children[k] = without_widths(std::move(tree.children[k]), children[k]);
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

bool block_widths_keep_bits(Integer n) {
    return n <=
           loops::max_twiddle_table(1) / 2; // so that no codelet's share of the factors exceeds its table
}

SearchSpace threads_space(const Transform& problem, const Schedule& for_one_thread) {
    Action widths = tree_action("widths", width_neighbours);
    widths.neighbours = [all = std::move(widths.neighbours), &problem, for_one_thread](
                            const Schedule& incumbent, std::span<const ScheduleCandidate> timed) {
        std::vector<Schedule> result = all(incumbent, timed);
        std::erase_if(result, [&](const Schedule& other) {
            return !have_same_arithmetic(problem, other, for_one_thread);
        });
        return result;
    };
    return {.estimate = for_one_thread, .actions = {std::move(widths)}, .rounds = rounds};
}

bool have_same_arithmetic(const Transform& problem, const Schedule& a, const Schedule& b) {
    const std::vector<planning::DimensionPass> passes = planning::dimension_passes(problem);
    const auto normal = [&](Schedule schedule) {
        for (std::size_t k = 0; k < std::min(passes.size(), schedule.transform().passes.size()); ++k) {
            BreakdownTree& tree = schedule.transform().passes[k].tree;
            tree = without_widths(std::move(tree), passes[k].nonterminal);
        }
        return schedule;
    };
    return normal(a) == normal(b);
}

} // namespace swirl::search
