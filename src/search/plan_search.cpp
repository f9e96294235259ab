#include "search/plan_search.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "search/planner.hpp"
#include "search/proposals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace swirl::search {

using planning::Recipe;
using planning::Stage;
using rules::BreakdownTree;

namespace {

/// Parts of the time by whose ends the search for parts, the first contest and the neighbours are done; what is left is
/// for the winner against the estimate.
constexpr double parts_end = 0.5, contest_end = 0.8, neighbours_end = 0.92;
/// A later contender has to be faster than this part of the time of an earlier one: less may be luck.
constexpr double clearly_faster = 0.99;
/// Seconds between reports that bring nothing better.
constexpr double report_interval = 0.1;
constexpr int most_refinements = 3;
constexpr std::size_t most_neighbours = 32;

std::string microseconds(double seconds) { return fmt::format("{:.4g} µs", seconds * 1e6); }

} // namespace

PlanSearch::PlanSearch(const Problem& problem, Timekeeper& timekeeper, SearchSetting setting)
    : problem_(problem),
      timekeeper_(timekeeper),
      setting_(std::move(setting)),
      begin_(timekeeper.now()),
      last_report_(begin_ - report_interval) {
    estimated_.recipe = estimate(problem, setting_.cpu, setting_.machine).recipe;
}

ir::Scalar PlanSearch::scalar() const {
    return problem_.precision == Precision::float32 ? ir::Scalar::float32 : ir::Scalar::float64;
}

Recipe PlanSearch::recipe_of(const Stage& stage, const BreakdownTree& tree) const {
    return {std::string(setting_.cpu.name), {{stage.dimension, tree}}};
}

Contender PlanSearch::run() {
    std::vector<Contender> contenders{estimated_};
    race(problem_, contenders, begin_); // alone: how long building and running take
    estimated_ = contenders[0];
    const double each = timekeeper_.now() - begin_ + 3 * estimated_.seconds;
    contenders = contenders_of(std::min(at(parts_end), at(contest_end) - 5 * each));
    race(problem_, contenders, at(contest_end));
    is_compared_ = contenders.size() == 1;
    for (std::size_t i = 1; i < contenders.size(); ++i) is_compared_ |= contenders[i].is_timed();
    is_complete_ = is_complete_ && all_tried(contenders);
    estimated_ = contenders[0];
    Contender best = contenders[winner_of(contenders)];
    contenders.clear(); // plans that are not needed any more
    refine(best, at(neighbours_end));
    if (best.recipe != estimated_.recipe && timekeeper_.now() + 6 * estimated_.seconds < at(1)) {
        contenders = {estimated_, best};
        race(problem_, contenders, at(1));
        best = contenders[winner_of(contenders)];
    }
    if (!is_compared_) best.seconds = std::numeric_limits<double>::infinity();
    return best;
}

/// The neighbours of the best, as long as one of them is better.
void PlanSearch::refine(Contender& best, double until) {
    for (int k = 0; k < most_refinements && timekeeper_.now() < until; ++k) {
        std::vector<Contender> contenders{best};
        for (Contender& neighbour : neighbours_of(best.recipe))
            add_new(contenders, std::move(neighbour.recipe));
        if (contenders.size() == 1) return;
        race(problem_, contenders, until);
        const std::size_t winner = winner_of(contenders);
        best = std::move(contenders[winner]);
        if (winner == 0) return;
    }
}

// ---- contenders for the whole problem ------------------------------------------------------------------------------

void PlanSearch::add_new(std::vector<Contender>& contenders, Recipe recipe) {
    if (tried_.insert(planning::to_string(recipe)).second) contenders.push_back({std::move(recipe)});
}

std::vector<Contender> PlanSearch::contenders_of(double until) {
    tried_.insert(planning::to_string(estimated_.recipe));
    std::vector<Contender> contenders{estimated_};
    const std::vector<Stage> stages = planning::stages(problem_);
    const Breadth breadth = setting_.exhaustive ? Breadth::all : Breadth::likely;
    if (stages.size() == 1) {
        const auto trees = trees_for(problem_, stages[0], breadth, until);
        for (const Recipe& rival : setting_.rivals) add_new(contenders, rival);
        for (const BreakdownTree& tree : trees) add_new(contenders, recipe_of(stages[0], tree));
        return contenders;
    }
    Recipe combined = estimated_.recipe;
    for (std::size_t k = 0; k < stages.size(); ++k) {
        const auto part = problem_of(problem_, stages[k]);
        if (!part) continue;
        const double now = timekeeper_.now();
        combined.steps[k].tree =
            solve(*part, breadth, now + (until - now) / static_cast<double>(stages.size() - k)).tree;
    }
    add_new(contenders, combined);
    for (const Recipe& rival : setting_.rivals) add_new(contenders, rival);
    for (std::size_t k = 0; k < stages.size(); ++k) {
        Recipe recipe = estimated_.recipe;
        recipe.steps[k].tree = combined.steps[k].tree;
        add_new(contenders, std::move(recipe));
    }
    return contenders;
}

std::vector<Contender> PlanSearch::neighbours_of(const Recipe& recipe) const {
    const std::vector<Stage> stages = planning::stages(problem_);
    std::vector<Contender> result;
    const auto add = [&](std::size_t step, BreakdownTree tree) {
        if (result.size() == most_neighbours) return;
        result.push_back({recipe});
        result.back().recipe.steps[step].tree = std::move(tree);
    };
    for (std::size_t k = 0; k < stages.size(); ++k)
        for (BreakdownTree& tree : neighbours(recipe.steps[k].tree)) add(k, std::move(tree));
    if (stages.size() > 1)
        for (std::size_t k = 0; k < stages.size(); ++k)
            for (Candidate& candidate :
                 likely_breakdowns(stages[k], setting_.cpu, scalar(), setting_.machine))
                add(k, std::move(candidate.tree));
    return result;
}

// ---- contests ----------------------------------------------------------------------------------------------------

bool PlanSearch::all_tried(const std::vector<Contender>& contenders) {
    return std::all_of(contenders.begin(), contenders.end(),
                       [](const Contender& c) { return c.is_timed() || !c.fits; });
}

std::size_t PlanSearch::winner_of(const std::vector<Contender>& contenders) {
    std::size_t winner = 0;
    for (std::size_t i = 1; i < contenders.size(); ++i) {
        const double faster = winner == 0 ? clearly_faster : 1;
        if (contenders[i].seconds < faster * contenders[winner].seconds) winner = i;
    }
    return winner;
}

void PlanSearch::race(const Problem& problem, std::vector<Contender>& contenders, double until) {
    timekeeper_.race(problem, contenders, until,
                     [&](std::size_t which) { report(problem, contenders, which); });
    if (&problem != &problem_) return;
    for (const Contender& contender : contenders) best_seconds_ = std::min(best_seconds_, contender.seconds);
}

void PlanSearch::report(const Problem& problem, const std::vector<Contender>& contenders, std::size_t which) {
    const bool is_part = &problem != &problem_;
    const Contender& contender = contenders[which];
    const bool is_best = !is_part && contender.seconds < best_seconds_;
    if (is_best) best_seconds_ = contender.seconds;
    const double now = timekeeper_.now();
    if (!setting_.progress || (!is_best && now - last_report_ < report_interval)) return;
    last_report_ = now;
    std::string line = to_text(problem_);
    if (is_part) line += ", part " + to_text(problem);
    line += fmt::format(": {} of {}, {} with {}", which + 1, contenders.size(),
                        microseconds(contender.seconds), planning::to_string(contender.recipe));
    if (std::isfinite(best_seconds_)) line += "; best " + microseconds(best_seconds_);
    if (std::isfinite(setting_.seconds)) line += fmt::format("; {:.1f} s left", std::max(at(1) - now, 0.0));
    setting_.progress(line);
}

} // namespace swirl::search
