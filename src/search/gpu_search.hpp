#pragma once

#include "plan/transform_schedule.hpp"
#include "problem/problem.hpp"
#include "search/timer/gpu_transform_timer.hpp"
#include "target/gpu.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

/// Finds the fastest GPU schedule by timing.
namespace swirl::search {

struct GpuSearchSetting {
    const target::Gpu& gpu;
    double seconds;          ///< time budget, approximate; infinite: no limit
    bool exhaustive = false; ///< all candidates, and neighbours until none is faster
    std::vector<planning::TransformSchedule> extra_candidates = {}; ///< additional candidates
    std::function<void(const std::string&)> progress = {};
};

/// Search in four steps. (1) Times the estimate's schedule, the model's candidates for each pass with the other passes
/// fixed at their best, and schedules from earlier searches. (2) Combines the winners of all passes. (3) Times the
/// winner's neighbours until none is faster. (4) Times the final winner against the estimate again, so that a schedule
/// that was merely lucky does not win.
class GpuSearch {
public:
    GpuSearch(const Transform& problem, GpuTransformTimer& timer, GpuSearchSetting setting);

    /// The winner; its time is infinite if the budget did not allow a comparison.
    GpuTransformCandidate run();
    /// Whether the budget sufficed for all candidates.
    bool is_complete() const { return is_complete_; }

private:
    /// A decomposition of the problem into passes, with the candidates for each pass, the model's best first.
    struct Decomposition {
        std::vector<std::vector<planning::PassSchedule>> passes;
    };
    std::vector<Decomposition> decompositions() const;
    planning::TransformSchedule schedule_of(std::vector<planning::PassSchedule> passes) const;

    std::vector<GpuTransformCandidate> schedule_candidates(const std::vector<Decomposition>& decompositions);
    /// For each decomposition, the combination of its fastest passes.
    void add_winning_passes(const std::vector<Decomposition>& decompositions,
                            const std::vector<GpuTransformCandidate>& timed,
                            std::vector<GpuTransformCandidate>& candidates);
    void refine(GpuTransformCandidate& best, double deadline);
    void benchmark(std::vector<GpuTransformCandidate>& candidates, double deadline);
    void report(const std::vector<GpuTransformCandidate>& candidates, std::size_t which);
    /// Adds a schedule unless it is present.
    void add_new(std::vector<GpuTransformCandidate>& candidates, planning::TransformSchedule schedule);
    double at(double fraction) const { return begin_ + fraction * setting_.seconds; }

    const Transform& problem_;
    GpuTransformTimer& timer_;
    GpuSearchSetting setting_;
    double begin_;
    std::set<std::string> tried_;
    bool is_compared_ = false; ///< at least two schedules were timed, or only one exists
    bool is_complete_ = true;
    double best_seconds_ = std::numeric_limits<double>::infinity();
    double last_report_;
};

/// Schedules that differ from this one in one value of one configuration, or in the order of two radices.
std::vector<planning::TransformSchedule> gpu_neighbours(const planning::TransformSchedule& schedule,
                                                        const target::Gpu& gpu);

} // namespace swirl::search
