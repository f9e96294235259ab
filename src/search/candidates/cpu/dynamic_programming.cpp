#include "search/candidates/cpu/dynamic_programming.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/cpu/proposals.hpp"
#include "search/cost/cpu/estimate.hpp"

#include <algorithm>

namespace swirl::search {

using planning::DimensionPass;
using planning::Schedule;
using rules::BreakdownTree;

namespace {

/// A later tree of a subproblem must be faster than an earlier one by this factor: a smaller margin may be luck.
constexpr double clearly_faster_tree = 1.01;
constexpr double not_timed = std::numeric_limits<double>::infinity();
/// Minimum seconds for timing a subproblem; less yields no information.
constexpr double min_slice = 0.03;

bool is_leaf(const Candidate& candidate) { return candidate.tree.rule.empty(); }

/// Whether a rule's children are butterflies within a loop nest.
bool leaves_butterflies(const Candidate& candidate) {
    return candidate.tree.rule == "stockham" || candidate.tree.rule == "dft-iterative";
}

bool same(const BreakdownTree& a, const std::vector<BreakdownTree>& others) {
    return std::find(others.begin(), others.end(), a) != others.end();
}

} // namespace

std::vector<DynamicProgramming::Breakdown> DynamicProgramming::breakdowns_of(const Transform& problem,
                                                                             const DimensionPass& pass,
                                                                             Breadth breadth) const {
    std::vector<Breakdown> result;
    const auto add = [&](Candidate candidate, Breadth inner) {
        std::vector<Subproblem> subproblems;
        if (!is_leaf(candidate))
            subproblems = subproblems_of(problem, pass, candidate.tree.rule, candidate.tree.choice);
        result.push_back({std::move(candidate), std::move(subproblems), inner});
    };
    for (Candidate& candidate : likely_breakdowns(pass, options_.cpu, scalar_, options_.machine))
        add(std::move(candidate), breadth);
    if (breadth == Breadth::likely) return result;
    for (Candidate& candidate : all_breakdowns(pass)) {
        // A chirp's convolution is longer than the transform: the same breadth would never terminate.
        const bool grows = candidate.tree.rule == "bluestein";
        add(std::move(candidate), grows ? Breadth::likely : Breadth::all);
    }
    return result;
}

/// Whether a subproblem has alternatives; codelets count only in an exhaustive search.
bool DynamicProgramming::is_open(const Breakdown& breakdown, const Subproblem& subproblem) {
    if (!is_codelet(subproblem.transform)) return true;
    return breakdown.inner == Breadth::all && !leaves_butterflies(breakdown.candidate) &&
           subproblem.transform.rows() > 2;
}

void DynamicProgramming::solve_subproblems(const std::vector<Breakdown>& breakdowns, double deadline) {
    std::vector<std::pair<const Transform*, Breadth>> waiting;
    std::set<std::pair<std::string, Breadth>> known;
    for (const Breakdown& breakdown : breakdowns)
        for (const Subproblem& subproblem : breakdown.subproblems)
            if (subproblem.problem && is_open(breakdown, subproblem) &&
                known.emplace(to_text(*subproblem.problem), breakdown.inner).second)
                waiting.emplace_back(&*subproblem.problem, breakdown.inner);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const double now = benchmark_.now();
        const double slice = (deadline - now) / static_cast<double>(waiting.size() - i);
        solve(*waiting[i].first, waiting[i].second,
              now + std::min(std::max(slice, min_slice), deadline - now));
    }
}

/// The breakdown with the best trees of its subproblems, and its estimated cycles. Nothing if a subproblem has no tree.
std::optional<Candidate> DynamicProgramming::with_best_children(const Breakdown& breakdown) {
    Candidate result = breakdown.candidate;
    result.tree.children.resize(std::max(result.tree.children.size(), breakdown.subproblems.size()));
    for (std::size_t i = 0; i < breakdown.subproblems.size(); ++i) {
        const Subproblem& subproblem = breakdown.subproblems[i];
        if (!is_open(breakdown, subproblem)) continue;
        if (!subproblem.problem) {
            if (result.tree.children[i].rule.empty()) return std::nullopt;
            continue;
        }
        const Solved solved = solve(*subproblem.problem, breakdown.inner, benchmark_.now());
        result.tree.children[i] = solved.tree;
        if (solved.seconds < not_timed)
            result.cycles +=
                subproblem.times * (solved.seconds * options_.machine.hertz - solved.model_cycles);
    }
    while (!result.tree.children.empty() && result.tree.children.back() == BreakdownTree{})
        result.tree.children.pop_back();
    return result;
}

/// The trees worth timing for a pass, most promising first.
std::vector<BreakdownTree> DynamicProgramming::trees_for(const Transform& problem, const DimensionPass& pass,
                                                         Breadth breadth, double deadline) {
    const std::vector<Breakdown> breakdowns = breakdowns_of(problem, pass, breadth);
    solve_subproblems(breakdowns, deadline);
    std::vector<Candidate> improved;
    for (const Breakdown& breakdown : breakdowns)
        if (auto candidate = with_best_children(breakdown)) improved.push_back(std::move(*candidate));
    std::stable_sort(improved.begin(), improved.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cycles < b.cycles; });
    std::vector<BreakdownTree> trees;
    // The model's best first, then the trees of timed subproblems; at the end the model's own trees that differ.
    if (breakdowns[0].candidate.cycles > 0 || is_leaf(breakdowns[0].candidate))
        trees.push_back(breakdowns[0].candidate.tree);
    for (Candidate& candidate : improved)
        if (!same(candidate.tree, trees)) trees.push_back(std::move(candidate.tree));
    for (const Breakdown& breakdown : breakdowns) {
        const bool has_children = !breakdown.candidate.tree.children.empty() || breakdown.subproblems.empty();
        if (breakdown.candidate.cycles > 0 && has_children && !same(breakdown.candidate.tree, trees))
            trees.push_back(breakdown.candidate.tree);
    }
    return trees;
}

DynamicProgramming::Solved DynamicProgramming::solve(const Transform& subproblem, Breadth breadth,
                                                     double deadline) {
    const std::string text = to_text(subproblem);
    const std::pair key(text, breadth);
    if (const auto known = solved_.find(key); known != solved_.end()) return known->second;
    const Choice model = estimate(subproblem, options_.cpu, options_.machine);
    const double model_cycles = model.estimated_seconds * options_.machine.hertz;
    if (options_.wisdom.lookup)
        if (const auto known = options_.wisdom.lookup(subproblem))
            return solved_[key] = {known->tree, known->seconds, model_cycles};
    const Solved by_model{model.schedule.transform().passes[0].tree, not_timed, model_cycles};
    if (model.schedule.transform().passes.size() > 1 || in_progress_.count(text) > 0) return by_model;
    if (benchmark_.now() >= deadline) {
        benchmark_.leave_out();
        return by_model;
    }
    in_progress_.insert(text);
    Solved result = benchmark_subproblem(subproblem, breadth, deadline);
    in_progress_.erase(text);
    result.model_cycles = model_cycles;
    return solved_[key] = result;
}

DynamicProgramming::Solved DynamicProgramming::benchmark_subproblem(const Transform& subproblem,
                                                                    Breadth breadth, double deadline) {
    const std::vector<DimensionPass> passes = planning::dimension_passes(subproblem);
    const double now = benchmark_.now();
    std::vector<ScheduleCandidate> candidates;
    for (const BreakdownTree& tree : trees_for(subproblem, passes[0], breadth, now + (deadline - now) / 2))
        candidates.push_back({schedule_of(passes[0], tree)});
    benchmark_.compare_subproblem(subproblem, candidates, deadline);
    const ScheduleCandidate& best = candidates[fastest_of(candidates, clearly_faster_tree)];
    // An untimed, uncertain result is not stored.
    const bool complete =
        std::all_of(candidates.begin(), candidates.end(), [](const ScheduleCandidate& candidate) {
            return candidate.is_timed() || !candidate.infeasible_because.empty();
        });
    if (!complete) benchmark_.leave_out();
    if (complete && candidates.size() > 1 && options_.wisdom.store)
        options_.wisdom.store(subproblem, best.schedule, best.seconds);
    return {best.schedule.transform().passes[0].tree, best.seconds, 0};
}

// ---- the whole problem -----------------------------------------------------------------------------------------------

DynamicProgramming::DynamicProgramming(const Transform& problem, const CpuTransformOptions& options,
                                       Benchmark& benchmark)
    : problem_(problem),
      options_(options),
      benchmark_(benchmark),
      scalar_(planning::arithmetic_of(problem.precision)) {}

Schedule DynamicProgramming::schedule_of(const DimensionPass& pass, const BreakdownTree& tree) const {
    return {options_.cpu.name, planning::TransformSchedule{{{pass.dimension, tree}}}};
}

std::vector<planning::Schedule> DynamicProgramming::schedules(double deadline) {
    const std::vector<DimensionPass> passes = planning::dimension_passes(problem_);
    const Breadth breadth = options_.exhaustive ? Breadth::all : Breadth::likely;
    if (passes.size() == 1) {
        const auto trees = trees_for(problem_, passes[0], breadth, deadline);
        std::vector<planning::Schedule> result = options_.others;
        for (const BreakdownTree& tree : trees) result.push_back(schedule_of(passes[0], tree));
        return result;
    }
    const Schedule estimated = estimated_schedule(problem_, options_.cpu, options_.machine);
    Schedule combined = estimated;
    for (std::size_t k = 0; k < passes.size(); ++k) {
        const auto subproblem = problem_of(problem_, passes[k]);
        if (!subproblem) continue;
        const double now = benchmark_.now();
        combined.transform().passes[k].tree =
            solve(*subproblem, breadth, now + (deadline - now) / static_cast<double>(passes.size() - k)).tree;
    }
    std::vector<planning::Schedule> result{combined};
    result.insert(result.end(), options_.others.begin(), options_.others.end());
    for (std::size_t k = 0; k < passes.size(); ++k) {
        Schedule one = estimated;
        one.transform().passes[k].tree = combined.transform().passes[k].tree;
        result.emplace_back(std::move(one));
    }
    return result;
}

} // namespace swirl::search
