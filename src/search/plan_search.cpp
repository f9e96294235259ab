#include "search/plan_search.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/proposals.hpp"
#include "search/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace swirl::search {

using planning::DimensionPass;
using planning::TransformSchedule;
using rules::BreakdownTree;

namespace {

/// Fractions of the time budget at which the subproblem search, the first benchmark and the neighbours end; the
/// remainder is for the winner against the estimate.
constexpr double subproblems_end = 0.5, benchmark_end = 0.8, neighbours_end = 0.92;
/// A later candidate must take less than this fraction of an earlier one's time: a smaller margin may be luck.
constexpr double clearly_faster = 0.99;
/// Minimum seconds between progress reports without improvement.
constexpr double report_interval = 0.1;
constexpr int max_refinements = 3;
constexpr std::size_t max_neighbours = 32;

std::string microseconds(double seconds) { return fmt::format("{:.4g} µs", seconds * 1e6); }

} // namespace

PlanSearch::PlanSearch(const Transform& problem, TransformTimer& timer, SearchSetting setting)
    : problem_(problem),
      timer_(timer),
      setting_(std::move(setting)),
      begin_(timer.now()),
      last_report_(begin_ - report_interval) {
    estimated_.schedule = estimate(problem, setting_.cpu, setting_.machine).schedule;
}

DataType PlanSearch::scalar() const { return planning::arithmetic_of(problem_.precision); }

TransformSchedule PlanSearch::schedule_of(const DimensionPass& pass, const BreakdownTree& tree) const {
    return {std::string(setting_.cpu.name), {{pass.dimension, tree}}};
}

TransformCandidate PlanSearch::run() {
    std::vector<TransformCandidate> candidates{estimated_};
    benchmark(problem_, candidates, begin_); // alone: shows how long building and running take
    estimated_ = candidates[0];
    const double each = timer_.now() - begin_ + 3 * estimated_.seconds;
    candidates = schedule_candidates(std::min(at(subproblems_end), at(benchmark_end) - 5 * each));
    benchmark(problem_, candidates, at(benchmark_end));
    is_compared_ = candidates.size() == 1;
    for (std::size_t i = 1; i < candidates.size(); ++i) is_compared_ |= candidates[i].is_timed();
    is_complete_ = is_complete_ && all_tried(candidates);
    estimated_ = candidates[0];
    TransformCandidate best = candidates[winner_of(candidates)];
    candidates.clear(); // frees plans that are no longer needed
    refine(best, at(neighbours_end));
    if (best.schedule != estimated_.schedule && timer_.now() + 6 * estimated_.seconds < at(1)) {
        candidates = {estimated_, best};
        benchmark(problem_, candidates, at(1));
        best = candidates[winner_of(candidates)];
    }
    if (!is_compared_) best.seconds = std::numeric_limits<double>::infinity();
    return best;
}

/// Times the neighbours of the best until none is faster.
void PlanSearch::refine(TransformCandidate& best, double deadline) {
    for (int k = 0; k < max_refinements && timer_.now() < deadline; ++k) {
        std::vector<TransformCandidate> candidates{best};
        for (TransformCandidate& neighbour : neighbours_of(best.schedule))
            add_new(candidates, std::move(neighbour.schedule));
        if (candidates.size() == 1) return;
        benchmark(problem_, candidates, deadline);
        const std::size_t winner = winner_of(candidates);
        best = std::move(candidates[winner]);
        if (winner == 0) return;
    }
}

// ---- candidates for the whole problem ------------------------------------------------------------------------------

void PlanSearch::add_new(std::vector<TransformCandidate>& candidates, TransformSchedule schedule) {
    if (tried_.insert(planning::to_string(schedule)).second) candidates.push_back({std::move(schedule)});
}

std::vector<TransformCandidate> PlanSearch::schedule_candidates(double deadline) {
    tried_.insert(planning::to_string(estimated_.schedule));
    std::vector<TransformCandidate> candidates{estimated_};
    const std::vector<DimensionPass> passes = planning::dimension_passes(problem_);
    const Breadth breadth = setting_.exhaustive ? Breadth::all : Breadth::likely;
    if (passes.size() == 1) {
        const auto trees = trees_for(problem_, passes[0], breadth, deadline);
        for (const TransformSchedule& extra : setting_.extra_candidates) add_new(candidates, extra);
        for (const BreakdownTree& tree : trees) add_new(candidates, schedule_of(passes[0], tree));
        return candidates;
    }
    TransformSchedule combined = estimated_.schedule;
    for (std::size_t k = 0; k < passes.size(); ++k) {
        const auto subproblem = problem_of(problem_, passes[k]);
        if (!subproblem) continue;
        const double now = timer_.now();
        combined.passes[k].tree =
            solve(*subproblem, breadth, now + (deadline - now) / static_cast<double>(passes.size() - k)).tree;
    }
    add_new(candidates, combined);
    for (const TransformSchedule& extra : setting_.extra_candidates) add_new(candidates, extra);
    for (std::size_t k = 0; k < passes.size(); ++k) {
        TransformSchedule schedule = estimated_.schedule;
        schedule.passes[k].tree = combined.passes[k].tree;
        add_new(candidates, std::move(schedule));
    }
    return candidates;
}

std::vector<TransformCandidate> PlanSearch::neighbours_of(const TransformSchedule& schedule) const {
    const std::vector<DimensionPass> passes = planning::dimension_passes(problem_);
    std::vector<TransformCandidate> result;
    const auto add = [&](std::size_t pass, BreakdownTree tree) {
        if (result.size() == max_neighbours) return;
        result.push_back({schedule});
        result.back().schedule.passes[pass].tree = std::move(tree);
    };
    for (std::size_t k = 0; k < passes.size(); ++k)
        for (BreakdownTree& tree : neighbours(schedule.passes[k].tree)) add(k, std::move(tree));
    if (passes.size() > 1)
        for (std::size_t k = 0; k < passes.size(); ++k)
            for (Candidate& candidate :
                 likely_breakdowns(passes[k], setting_.cpu, scalar(), setting_.machine))
                add(k, std::move(candidate.tree));
    return result;
}

// ---- benchmarks --------------------------------------------------------------------------------------------------

bool PlanSearch::all_tried(const std::vector<TransformCandidate>& candidates) {
    return std::all_of(candidates.begin(), candidates.end(),
                       [](const TransformCandidate& c) { return c.is_timed() || !c.fits; });
}

std::size_t PlanSearch::winner_of(const std::vector<TransformCandidate>& candidates) {
    std::size_t winner = 0;
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        const double faster = winner == 0 ? clearly_faster : 1;
        if (candidates[i].seconds < faster * candidates[winner].seconds) winner = i;
    }
    return winner;
}

void PlanSearch::benchmark(const Transform& problem, std::vector<TransformCandidate>& candidates,
                           double deadline) {
    timer_.benchmark(problem, candidates, deadline,
                     [&](std::size_t which) { report(problem, candidates, which); });
    if (&problem != &problem_) return;
    for (const TransformCandidate& candidate : candidates)
        best_seconds_ = std::min(best_seconds_, candidate.seconds);
}

void PlanSearch::report(const Transform& problem, const std::vector<TransformCandidate>& candidates,
                        std::size_t which) {
    const bool is_subproblem = &problem != &problem_;
    const TransformCandidate& candidate = candidates[which];
    const bool is_best = !is_subproblem && candidate.seconds < best_seconds_;
    if (is_best) best_seconds_ = candidate.seconds;
    const double now = timer_.now();
    if (!setting_.progress || (!is_best && now - last_report_ < report_interval)) return;
    last_report_ = now;
    std::string line = to_text(problem_);
    if (is_subproblem) line += ", part " + to_text(problem);
    line += fmt::format(": {} of {}, {} with {}", which + 1, candidates.size(),
                        microseconds(candidate.seconds), planning::to_string(candidate.schedule));
    if (std::isfinite(best_seconds_)) line += "; best " + microseconds(best_seconds_);
    if (std::isfinite(setting_.seconds)) line += fmt::format("; {:.1f} s left", std::max(at(1) - now, 0.0));
    setting_.progress(line);
}

} // namespace swirl::search
