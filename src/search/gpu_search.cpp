#include "search/gpu_search.hpp"

#include "plan/steps.hpp"
#include "problem/syntax.hpp"
#include "search/gpu_candidates.hpp"
#include "search/gpu_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace swirl::search {

using planning::Recipe;
using planning::StepRecipe;

namespace {

/// Candidates of a step.
constexpr std::size_t likely_candidates = 24, all_candidates = 1000;
/// Parts of the time by whose ends the candidates, what their steps' winners are together, and the neighbours are done;
/// what is left is for the winner against the estimate.
constexpr double candidates_end = 0.6, together_end = 0.7, neighbours_end = 0.92;
/// A later contender has to be faster than this part of the time of an earlier one: less may be luck.
constexpr double clearly_faster = 0.99;
/// Seconds between reports that bring nothing better.
constexpr double report_interval = 0.1;
constexpr int most_refinements = 3;

std::string microseconds(double seconds) { return fmt::format("{:.4g} µs", seconds * 1e6); }

/// The fastest; an earlier one unless a later one is clearly faster.
std::size_t winner_of(const std::vector<GpuContender>& contenders) {
    std::size_t winner = 0;
    for (std::size_t i = 1; i < contenders.size(); ++i) {
        const double faster = winner == 0 ? clearly_faster : 1;
        if (contenders[i].seconds < faster * contenders[winner].seconds) winner = i;
    }
    return winner;
}

} // namespace

GpuSearch::GpuSearch(const Problem& problem, GpuTimekeeper& timekeeper, GpuSearchSetting setting)
    : problem_(problem),
      timekeeper_(timekeeper),
      setting_(std::move(setting)),
      begin_(timekeeper.now()),
      last_report_(begin_ - report_interval) {}

GpuContender GpuSearch::run() {
    std::vector<GpuContender> contenders{{gpu_recipe(problem_, setting_.gpu)}};
    tried_.insert(planning::to_string(contenders[0].recipe));
    race(contenders, begin_); // alone: the driver's compiler is loaded, and there is a time to begin with
    const std::vector<Staging> stagings = this->stagings();
    for (GpuContender& other : contenders_of(stagings)) contenders.push_back(std::move(other));
    race(contenders, at(candidates_end));
    is_compared_ = contenders.size() == 1;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        is_compared_ |= i > 0 && contenders[i].is_timed();
        is_complete_ &= contenders[i].is_timed() || !contenders[i].fits;
    }
    GpuContender estimated = contenders[0];
    std::vector<GpuContender> together{contenders[winner_of(contenders)]};
    add_winning_steps(stagings, contenders, together);
    contenders.clear(); // plans that are not needed any more
    if (together.size() > 1) race(together, at(together_end));
    GpuContender best = std::move(together[winner_of(together)]);
    together.clear();
    refine(best, at(neighbours_end));
    if (best.recipe != estimated.recipe && timekeeper_.now() < at(1)) {
        contenders = {std::move(estimated), std::move(best)};
        race(contenders, at(1));
        best = std::move(contenders[winner_of(contenders)]);
    }
    if (!is_compared_) best.seconds = std::numeric_limits<double>::infinity();
    return best;
}

/// The neighbours of the best, as long as one of them is better.
void GpuSearch::refine(GpuContender& best, double until) {
    for (int k = 0; (setting_.exhaustive || k < most_refinements) && timekeeper_.now() < until; ++k) {
        std::vector<GpuContender> contenders{best};
        for (Recipe& neighbour : gpu_neighbours(best.recipe, setting_.gpu))
            add_new(contenders, std::move(neighbour));
        if (contenders.size() == 1) return;
        race(contenders, until);
        const std::size_t winner = winner_of(contenders);
        best = std::move(contenders[winner]);
        if (winner == 0) return;
    }
}

Recipe GpuSearch::recipe_of(std::vector<StepRecipe> steps) const {
    return {std::string(setting_.gpu.name), std::move(steps)};
}

void GpuSearch::add_new(std::vector<GpuContender>& contenders, Recipe recipe) {
    if (tried_.insert(planning::to_string(recipe)).second) contenders.push_back({std::move(recipe)});
}

std::vector<GpuSearch::Staging> GpuSearch::stagings() const {
    const std::size_t most = setting_.exhaustive ? all_candidates : likely_candidates;
    std::vector<Staging> result;
    for (const std::vector<planning::Stage>& stages : gpu_stagings(problem_)) {
        Staging staging;
        for (const planning::Stage& stage : stages) {
            staging.steps.emplace_back();
            for (GpuCandidate& candidate : gpu_candidates(problem_, stage, setting_.gpu, most))
                staging.steps.back().push_back(std::move(candidate.step));
        }
        if (std::none_of(staging.steps.begin(), staging.steps.end(),
                         [](const auto& step) { return step.empty(); }))
            result.push_back(std::move(staging));
    }
    return result;
}

/// In the order of the model's ranks, all steps alike: time may end before their end.
std::vector<GpuContender> GpuSearch::contenders_of(const std::vector<Staging>& stagings) {
    std::vector<GpuContender> contenders;
    for (const Recipe& rival : setting_.rivals) add_new(contenders, rival);
    std::size_t ranks = 0;
    for (const Staging& staging : stagings)
        for (const auto& step : staging.steps) ranks = std::max(ranks, step.size());
    for (std::size_t rank = 0; rank < ranks; ++rank)
        for (const Staging& staging : stagings) {
            std::vector<StepRecipe> best;
            for (const auto& step : staging.steps) best.push_back(step.front());
            for (std::size_t k = 0; k < staging.steps.size(); ++k) {
                if (rank >= staging.steps[k].size()) continue;
                std::vector<StepRecipe> steps = best;
                steps[k] = staging.steps[k][rank];
                add_new(contenders, recipe_of(std::move(steps)));
            }
        }
    return contenders;
}

void GpuSearch::add_winning_steps(const std::vector<Staging>& stagings,
                                  const std::vector<GpuContender>& timed,
                                  std::vector<GpuContender>& contenders) {
    for (const Staging& staging : stagings) {
        if (staging.steps.size() < 2) continue;
        std::vector<StepRecipe> best;
        for (const auto& step : staging.steps) best.push_back(step.front());
        std::vector<StepRecipe> together = best;
        for (std::size_t k = 0; k < best.size(); ++k) {
            double fastest = std::numeric_limits<double>::infinity();
            for (const GpuContender& contender : timed) { // that differs in this step alone
                if (contender.recipe.steps.size() != best.size() || contender.seconds >= fastest) continue;
                std::vector<StepRecipe> alone = best;
                alone[k] = contender.recipe.steps[k];
                if (alone != contender.recipe.steps) continue;
                fastest = contender.seconds;
                together[k] = contender.recipe.steps[k];
            }
        }
        add_new(contenders, recipe_of(std::move(together)));
    }
}

void GpuSearch::race(std::vector<GpuContender>& contenders, double until) {
    timekeeper_.race(problem_, contenders, until, [&](std::size_t which) { report(contenders, which); });
    for (const GpuContender& contender : contenders)
        best_seconds_ = std::min(best_seconds_, contender.seconds);
}

void GpuSearch::report(const std::vector<GpuContender>& contenders, std::size_t which) {
    const GpuContender& contender = contenders[which];
    const bool is_best = contender.seconds < best_seconds_;
    if (is_best) best_seconds_ = contender.seconds;
    const double now = timekeeper_.now();
    if (!setting_.progress || (!is_best && now - last_report_ < report_interval)) return;
    last_report_ = now;
    std::string line = fmt::format("{}: {} of {}, {} with {}; best {}", to_text(problem_), which + 1,
                                   contenders.size(), microseconds(contender.seconds),
                                   planning::to_string(contender.recipe), microseconds(best_seconds_));
    if (std::isfinite(setting_.seconds)) line += fmt::format("; {:.1f} s left", std::max(at(1) - now, 0.0));
    setting_.progress(line);
}

} // namespace swirl::search
