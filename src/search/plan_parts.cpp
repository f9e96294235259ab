// PlanSearch: the parts of breakdowns, each solved once.

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "search/plan_search.hpp"
#include "search/planner.hpp"
#include "search/proposals.hpp"

#include <algorithm>

namespace swirl::search {

using planning::Stage;
using rules::BreakdownTree;

namespace {

constexpr double not_timed = std::numeric_limits<double>::infinity();
/// Seconds for a part below which timing it tells nothing.
constexpr double shortest_share = 0.03;

bool is_leaf(const Candidate& candidate) { return candidate.tree.rule.empty(); }

/// Whether a rule's children are butterflies within a loop nest.
bool leaves_butterflies(const Candidate& candidate) {
    return candidate.tree.rule == "stockham" || candidate.tree.rule == "dft-iterative";
}

bool same(const BreakdownTree& a, const std::vector<BreakdownTree>& others) {
    return std::find(others.begin(), others.end(), a) != others.end();
}

} // namespace

std::vector<PlanSearch::Breakdown> PlanSearch::breakdowns_of(const Problem& problem, const Stage& stage,
                                                             Breadth breadth) const {
    std::vector<Breakdown> result;
    const auto add = [&](Candidate candidate, Breadth inner) {
        std::vector<Part> parts;
        if (!is_leaf(candidate)) parts = parts_of(problem, stage, candidate.tree.rule, candidate.tree.choice);
        result.push_back({std::move(candidate), std::move(parts), inner});
    };
    for (Candidate& candidate : likely_breakdowns(stage, setting_.cpu, scalar(), setting_.machine))
        add(std::move(candidate), breadth);
    if (breadth == Breadth::likely) return result;
    for (Candidate& candidate : all_breakdowns(stage)) {
        // A chirp's convolution is longer than the transform: looked into the same way there would be no end.
        const bool grows = candidate.tree.rule == "bluestein";
        add(std::move(candidate), grows ? Breadth::likely : Breadth::all);
    }
    return result;
}

/// Whether there is something to choose for a part; of codelets only where everything is tried.
bool PlanSearch::is_open(const Breakdown& breakdown, const Part& part) {
    if (!is_codelet(part.transform)) return true;
    return breakdown.inner == Breadth::all && !leaves_butterflies(breakdown.candidate) &&
           part.transform.rows() > 2;
}

void PlanSearch::solve_parts(const std::vector<Breakdown>& breakdowns, double until) {
    std::vector<std::pair<const Problem*, Breadth>> waiting;
    std::set<std::pair<std::string, Breadth>> known;
    for (const Breakdown& breakdown : breakdowns)
        for (const Part& part : breakdown.parts)
            if (part.problem && is_open(breakdown, part) &&
                known.emplace(to_text(*part.problem), breakdown.inner).second)
                waiting.emplace_back(&*part.problem, breakdown.inner);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const double now = timekeeper_.now();
        const double share = (until - now) / static_cast<double>(waiting.size() - i);
        solve(*waiting[i].first, waiting[i].second,
              now + std::min(std::max(share, shortest_share), until - now));
    }
}

/// The breakdown with the best trees of its parts, and the cycles that it should then take. Nothing where one of
/// them has no tree.
std::optional<Candidate> PlanSearch::with_best_children(const Breakdown& breakdown) {
    Candidate result = breakdown.candidate;
    result.tree.children.resize(std::max(result.tree.children.size(), breakdown.parts.size()));
    for (std::size_t i = 0; i < breakdown.parts.size(); ++i) {
        const Part& part = breakdown.parts[i];
        if (!is_open(breakdown, part)) continue;
        if (!part.problem) {
            if (result.tree.children[i].rule.empty()) return std::nullopt;
            continue;
        }
        const Solved solved = solve(*part.problem, breakdown.inner, timekeeper_.now());
        result.tree.children[i] = solved.tree;
        if (solved.seconds < not_timed)
            result.cycles += part.times * (solved.seconds * setting_.machine.hertz - solved.model_cycles);
    }
    while (!result.tree.children.empty() && result.tree.children.back() == BreakdownTree{})
        result.tree.children.pop_back();
    return result;
}

/// What a contest over the stage is worth having, the likeliest first.
std::vector<BreakdownTree> PlanSearch::trees_for(const Problem& problem, const Stage& stage, Breadth breadth,
                                                 double until) {
    const std::vector<Breakdown> breakdowns = breakdowns_of(problem, stage, breadth);
    solve_parts(breakdowns, until);
    std::vector<Candidate> improved;
    for (const Breakdown& breakdown : breakdowns)
        if (auto candidate = with_best_children(breakdown)) improved.push_back(std::move(*candidate));
    std::stable_sort(improved.begin(), improved.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cycles < b.cycles; });
    std::vector<BreakdownTree> trees;
    // The model's own best, then those of timed parts; as the model has them, those that differ, at the end.
    if (breakdowns[0].candidate.cycles > 0 || is_leaf(breakdowns[0].candidate))
        trees.push_back(breakdowns[0].candidate.tree);
    for (Candidate& candidate : improved)
        if (!same(candidate.tree, trees)) trees.push_back(std::move(candidate.tree));
    for (const Breakdown& breakdown : breakdowns) {
        const bool has_children = !breakdown.candidate.tree.children.empty() || breakdown.parts.empty();
        if (breakdown.candidate.cycles > 0 && has_children && !same(breakdown.candidate.tree, trees))
            trees.push_back(breakdown.candidate.tree);
    }
    return trees;
}

PlanSearch::Solved PlanSearch::solve(const Problem& part, Breadth breadth, double until) {
    const std::string text = to_text(part);
    const std::pair key(text, breadth);
    if (const auto known = solved_.find(key); known != solved_.end()) return known->second;
    const Choice model = estimate(part, setting_.cpu, setting_.machine);
    const double model_cycles = model.estimated_seconds * setting_.machine.hertz;
    if (setting_.memory.recall)
        if (const auto known = setting_.memory.recall(part); known && known->recipe.steps.size() == 1)
            return solved_[key] = {known->recipe.steps[0].tree, known->seconds, model_cycles};
    const Solved by_model{model.recipe.steps[0].tree, not_timed, model_cycles};
    if (model.recipe.steps.size() > 1 || in_progress_.count(text) > 0) return by_model;
    if (timekeeper_.now() >= until) {
        is_complete_ = false;
        return by_model;
    }
    in_progress_.insert(text);
    Solved result = race_part(part, breadth, until);
    in_progress_.erase(text);
    result.model_cycles = model_cycles;
    return solved_[key] = result;
}

PlanSearch::Solved PlanSearch::race_part(const Problem& part, Breadth breadth, double until) {
    const std::vector<Stage> stages = planning::stages(part);
    const double now = timekeeper_.now();
    std::vector<Contender> contenders;
    for (const BreakdownTree& tree : trees_for(part, stages[0], breadth, now + (until - now) / 2))
        contenders.push_back({recipe_of(stages[0], tree)});
    race(part, contenders, until);
    const Contender& best = contenders[winner_of(contenders)];
    // One in doubt of which nobody was timed is no finding.
    const bool complete = all_tried(contenders);
    is_complete_ = is_complete_ && complete;
    if (complete && contenders.size() > 1 && setting_.memory.keep) setting_.memory.keep(part, best);
    return {best.recipe.steps[0].tree, best.seconds, 0};
}

} // namespace swirl::search
