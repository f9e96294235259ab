#pragma once

#include "plan/check/problem_data.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "runtime/timer.hpp"
#include "search/timer/cpu/gemm_runs.hpp"
#include "search/timer/timer.hpp"

#include <optional>

namespace swirl::search {

/// Builds plans and runs them on this machine. Transforms: first each alone, briefly, then those near the fastest
/// interleaved. Products are square ones of the extents that a schedule is tuned for, on one thread.
class CpuTimer final : public Timer {
public:
    /// Executions of transforms use at most so many threads. With Clock::thread, for one thread, neither times nor deadlines
    /// count what other threads take of the processors; the thread is not kept on one of them, where it might wait long.
    explicit CpuTimer(int threads = 1, runtime::Clock clock = runtime::Clock::wall)
        : threads_(threads), clock_(clock) {}

    double now() override;
    void compare(const Problem& problem, std::span<ScheduleCandidate> candidates, double deadline, Care care,
                 const Observer& observer) override;

private:
    struct TimingData {
        Transform problem;
        planning::ProblemData data;
    };
    void compare(const Transform& problem, std::span<ScheduleCandidate> candidates, double deadline,
                 Care care, const Observer& observer);
    void compare(const MatrixProduct& product, std::span<ScheduleCandidate> candidates, double deadline,
                 Care care, const Observer& observer);

    planning::ProblemData& data_for(const Transform& problem);
    /// Builds a candidate and runs it a few times; nothing if it cannot be built, or not before the deadline. Returns the
    /// seconds that building took.
    std::optional<double> benchmark_briefly(const Transform& problem, ScheduleCandidate& candidate,
                                            double deadline, const Observer& observer);

    int threads_;
    runtime::Clock clock_;
    std::optional<TimingData> timing_data_; ///< of the last problem: filling large arrays takes time
    std::optional<CpuGemmRuns> products_;
};

} // namespace swirl::search
