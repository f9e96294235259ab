#include "search/gpu_search.hpp"

#include "plan/dimension_passes.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/gpu_candidates.hpp"
#include "search/cost/gpu_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace swirl::search {

using planning::PassSchedule;
using planning::TransformSchedule;

namespace {

/// Candidates per pass.
constexpr std::size_t likely_candidates = 24, all_candidates = 1000;
/// Fractions of the time budget at which timing of the candidates, of the combined winners and of the neighbours ends;
/// the remainder is for the winner against the estimate.
constexpr double candidates_end = 0.6, combination_end = 0.7, neighbours_end = 0.92;
/// A later candidate must take less than this fraction of an earlier one's time: a smaller margin may be luck.
constexpr double clearly_faster = 0.99;
/// Minimum seconds between progress reports without improvement.
constexpr double report_interval = 0.1;
constexpr int max_refinements = 3;

std::string microseconds(double seconds) { return fmt::format("{:.4g} µs", seconds * 1e6); }

/// The fastest; the earlier of two unless the later is clearly faster.
std::size_t winner_of(const std::vector<GpuTransformCandidate>& candidates) {
    std::size_t winner = 0;
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        const double faster = winner == 0 ? clearly_faster : 1;
        if (candidates[i].seconds < faster * candidates[winner].seconds) winner = i;
    }
    return winner;
}

} // namespace

GpuSearch::GpuSearch(const Transform& problem, GpuTransformTimer& timer, GpuSearchSetting setting)
    : problem_(problem),
      timer_(timer),
      setting_(std::move(setting)),
      begin_(timer.now()),
      last_report_(begin_ - report_interval) {}

GpuTransformCandidate GpuSearch::run() {
    std::vector<GpuTransformCandidate> candidates{{gpu_schedule(problem_, setting_.gpu)}};
    tried_.insert(planning::to_string(candidates[0].schedule));
    benchmark(candidates,
              begin_); // alone: loads the driver's compiler, gives a time
    const std::vector<Decomposition> decompositions = this->decompositions();
    for (GpuTransformCandidate& other : schedule_candidates(decompositions))
        candidates.push_back(std::move(other));
    benchmark(candidates, at(candidates_end));
    is_compared_ = candidates.size() == 1;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        is_compared_ |= i > 0 && candidates[i].is_timed();
        is_complete_ &= candidates[i].is_timed() || !candidates[i].fits;
    }
    GpuTransformCandidate estimated = candidates[0];
    std::vector<GpuTransformCandidate> combined{candidates[winner_of(candidates)]};
    add_winning_passes(decompositions, candidates, combined);
    candidates.clear(); // frees plans that are no longer needed
    if (combined.size() > 1) benchmark(combined, at(combination_end));
    GpuTransformCandidate best = std::move(combined[winner_of(combined)]);
    combined.clear();
    refine(best, at(neighbours_end));
    if (best.schedule != estimated.schedule && timer_.now() < at(1)) {
        candidates = {std::move(estimated), std::move(best)};
        benchmark(candidates, at(1));
        best = std::move(candidates[winner_of(candidates)]);
    }
    if (!is_compared_) best.seconds = std::numeric_limits<double>::infinity();
    return best;
}

/// Times the neighbours of the best until none is faster.
void GpuSearch::refine(GpuTransformCandidate& best, double deadline) {
    for (int k = 0; (setting_.exhaustive || k < max_refinements) && timer_.now() < deadline; ++k) {
        std::vector<GpuTransformCandidate> candidates{best};
        for (TransformSchedule& neighbour : gpu_neighbours(best.schedule, setting_.gpu))
            add_new(candidates, std::move(neighbour));
        if (candidates.size() == 1) return;
        benchmark(candidates, deadline);
        const std::size_t winner = winner_of(candidates);
        best = std::move(candidates[winner]);
        if (winner == 0) return;
    }
}

TransformSchedule GpuSearch::schedule_of(std::vector<PassSchedule> passes) const {
    return {std::string(setting_.gpu.name), std::move(passes)};
}

void GpuSearch::add_new(std::vector<GpuTransformCandidate>& candidates, TransformSchedule schedule) {
    if (tried_.insert(planning::to_string(schedule)).second) candidates.push_back({std::move(schedule)});
}

std::vector<GpuSearch::Decomposition> GpuSearch::decompositions() const {
    const std::size_t most = setting_.exhaustive ? all_candidates : likely_candidates;
    std::vector<Decomposition> result;
    for (const std::vector<planning::DimensionPass>& passes : gpu_decompositions(problem_)) {
        Decomposition decomposition;
        for (const planning::DimensionPass& pass : passes) {
            decomposition.passes.emplace_back();
            for (GpuPassCandidate& candidate : gpu_candidates(problem_, pass, setting_.gpu, most))
                decomposition.passes.back().push_back(std::move(candidate.pass));
        }
        if (std::none_of(decomposition.passes.begin(), decomposition.passes.end(),
                         [](const auto& pass) { return pass.empty(); }))
            result.push_back(std::move(decomposition));
    }
    return result;
}

/// Ordered by model rank across all passes, because the time budget may run out.
std::vector<GpuTransformCandidate> GpuSearch::schedule_candidates(
    const std::vector<Decomposition>& decompositions) {
    std::vector<GpuTransformCandidate> candidates;
    for (const TransformSchedule& extra : setting_.extra_candidates) add_new(candidates, extra);
    std::size_t ranks = 0;
    for (const Decomposition& decomposition : decompositions)
        for (const auto& pass : decomposition.passes) ranks = std::max(ranks, pass.size());
    for (std::size_t rank = 0; rank < ranks; ++rank)
        for (const Decomposition& decomposition : decompositions) {
            std::vector<PassSchedule> best;
            for (const auto& pass : decomposition.passes) best.push_back(pass.front());
            for (std::size_t k = 0; k < decomposition.passes.size(); ++k) {
                if (rank >= decomposition.passes[k].size()) continue;
                std::vector<PassSchedule> passes = best;
                passes[k] = decomposition.passes[k][rank];
                add_new(candidates, schedule_of(std::move(passes)));
            }
        }
    return candidates;
}

void GpuSearch::add_winning_passes(const std::vector<Decomposition>& decompositions,
                                   const std::vector<GpuTransformCandidate>& timed,
                                   std::vector<GpuTransformCandidate>& candidates) {
    for (const Decomposition& decomposition : decompositions) {
        if (decomposition.passes.size() < 2) continue;
        std::vector<PassSchedule> best;
        for (const auto& pass : decomposition.passes) best.push_back(pass.front());
        std::vector<PassSchedule> combined = best;
        for (std::size_t k = 0; k < best.size(); ++k) {
            double fastest = std::numeric_limits<double>::infinity();
            for (const GpuTransformCandidate& candidate : timed) { // differs in this pass alone
                if (candidate.schedule.passes.size() != best.size() || candidate.seconds >= fastest) continue;
                std::vector<PassSchedule> alone = best;
                alone[k] = candidate.schedule.passes[k];
                if (alone != candidate.schedule.passes) continue;
                fastest = candidate.seconds;
                combined[k] = candidate.schedule.passes[k];
            }
        }
        add_new(candidates, schedule_of(std::move(combined)));
    }
}

void GpuSearch::benchmark(std::vector<GpuTransformCandidate>& candidates, double deadline) {
    timer_.benchmark(problem_, candidates, deadline, [&](std::size_t which) { report(candidates, which); });
    for (const GpuTransformCandidate& candidate : candidates)
        best_seconds_ = std::min(best_seconds_, candidate.seconds);
}

void GpuSearch::report(const std::vector<GpuTransformCandidate>& candidates, std::size_t which) {
    const GpuTransformCandidate& candidate = candidates[which];
    const bool is_best = candidate.seconds < best_seconds_;
    if (is_best) best_seconds_ = candidate.seconds;
    const double now = timer_.now();
    if (!setting_.progress || (!is_best && now - last_report_ < report_interval)) return;
    last_report_ = now;
    std::string line = fmt::format("{}: {} of {}, {} with {}; best {}", to_text(problem_), which + 1,
                                   candidates.size(), microseconds(candidate.seconds),
                                   planning::to_string(candidate.schedule), microseconds(best_seconds_));
    if (std::isfinite(setting_.seconds)) line += fmt::format("; {:.1f} s left", std::max(at(1) - now, 0.0));
    setting_.progress(line);
}

} // namespace swirl::search
