// PlanSearch: solves each subproblem of the breakdowns once.

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/proposals.hpp"
#include "search/plan_search.hpp"
#include "search/planner.hpp"

#include <algorithm>

namespace swirl::search {

using planning::DimensionPass;
using rules::BreakdownTree;

namespace {

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

std::vector<PlanSearch::Breakdown> PlanSearch::breakdowns_of(const Transform& problem,
                                                             const DimensionPass& pass,
                                                             Breadth breadth) const {
    std::vector<Breakdown> result;
    const auto add = [&](Candidate candidate, Breadth inner) {
        std::vector<Subproblem> subproblems;
        if (!is_leaf(candidate))
            subproblems = subproblems_of(problem, pass, candidate.tree.rule, candidate.tree.choice);
        result.push_back({std::move(candidate), std::move(subproblems), inner});
    };
    for (Candidate& candidate : likely_breakdowns(pass, setting_.cpu, scalar(), setting_.machine))
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
bool PlanSearch::is_open(const Breakdown& breakdown, const Subproblem& subproblem) {
    if (!is_codelet(subproblem.transform)) return true;
    return breakdown.inner == Breadth::all && !leaves_butterflies(breakdown.candidate) &&
           subproblem.transform.rows() > 2;
}

void PlanSearch::solve_subproblems(const std::vector<Breakdown>& breakdowns, double deadline) {
    std::vector<std::pair<const Transform*, Breadth>> waiting;
    std::set<std::pair<std::string, Breadth>> known;
    for (const Breakdown& breakdown : breakdowns)
        for (const Subproblem& subproblem : breakdown.subproblems)
            if (subproblem.problem && is_open(breakdown, subproblem) &&
                known.emplace(to_text(*subproblem.problem), breakdown.inner).second)
                waiting.emplace_back(&*subproblem.problem, breakdown.inner);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const double now = timer_.now();
        const double slice = (deadline - now) / static_cast<double>(waiting.size() - i);
        solve(*waiting[i].first, waiting[i].second,
              now + std::min(std::max(slice, min_slice), deadline - now));
    }
}

/// The breakdown with the best trees of its subproblems, and its estimated cycles. Nothing if a subproblem has no tree.
std::optional<Candidate> PlanSearch::with_best_children(const Breakdown& breakdown) {
    Candidate result = breakdown.candidate;
    result.tree.children.resize(std::max(result.tree.children.size(), breakdown.subproblems.size()));
    for (std::size_t i = 0; i < breakdown.subproblems.size(); ++i) {
        const Subproblem& subproblem = breakdown.subproblems[i];
        if (!is_open(breakdown, subproblem)) continue;
        if (!subproblem.problem) {
            if (result.tree.children[i].rule.empty()) return std::nullopt;
            continue;
        }
        const Solved solved = solve(*subproblem.problem, breakdown.inner, timer_.now());
        result.tree.children[i] = solved.tree;
        if (solved.seconds < not_timed)
            result.cycles +=
                subproblem.times * (solved.seconds * setting_.machine.hertz - solved.model_cycles);
    }
    while (!result.tree.children.empty() && result.tree.children.back() == BreakdownTree{})
        result.tree.children.pop_back();
    return result;
}

/// The trees worth timing for a pass, most promising first.
std::vector<BreakdownTree> PlanSearch::trees_for(const Transform& problem, const DimensionPass& pass,
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

PlanSearch::Solved PlanSearch::solve(const Transform& subproblem, Breadth breadth, double deadline) {
    const std::string text = to_text(subproblem);
    const std::pair key(text, breadth);
    if (const auto known = solved_.find(key); known != solved_.end()) return known->second;
    const Choice model = estimate(subproblem, setting_.cpu, setting_.machine);
    const double model_cycles = model.estimated_seconds * setting_.machine.hertz;
    if (setting_.wisdom.lookup)
        if (const auto known = setting_.wisdom.lookup(subproblem);
            known && known->schedule.passes.size() == 1)
            return solved_[key] = {known->schedule.passes[0].tree, known->seconds, model_cycles};
    const Solved by_model{model.schedule.passes[0].tree, not_timed, model_cycles};
    if (model.schedule.passes.size() > 1 || in_progress_.count(text) > 0) return by_model;
    if (timer_.now() >= deadline) {
        is_complete_ = false;
        return by_model;
    }
    in_progress_.insert(text);
    Solved result = benchmark_subproblem(subproblem, breadth, deadline);
    in_progress_.erase(text);
    result.model_cycles = model_cycles;
    return solved_[key] = result;
}

PlanSearch::Solved PlanSearch::benchmark_subproblem(const Transform& subproblem, Breadth breadth,
                                                    double deadline) {
    const std::vector<DimensionPass> passes = planning::dimension_passes(subproblem);
    const double now = timer_.now();
    std::vector<TransformCandidate> candidates;
    for (const BreakdownTree& tree : trees_for(subproblem, passes[0], breadth, now + (deadline - now) / 2))
        candidates.push_back({schedule_of(passes[0], tree)});
    benchmark(subproblem, candidates, deadline);
    const TransformCandidate& best = candidates[winner_of(candidates)];
    // An untimed, uncertain result is not stored.
    const bool complete = all_tried(candidates);
    is_complete_ = is_complete_ && complete;
    if (complete && candidates.size() > 1 && setting_.wisdom.store) setting_.wisdom.store(subproblem, best);
    return {best.schedule.passes[0].tree, best.seconds, 0};
}

} // namespace swirl::search
