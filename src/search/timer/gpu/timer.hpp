#pragma once

#include "plan/transform/gpu/plan.hpp"
#include "runtime/cuda/device.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/stream.hpp"
#include "search/timer/gpu/gemm_runs.hpp"
#include "search/timer/gpu/interleaved_timing.hpp"
#include "search/timer/gpu/timing.hpp"
#include "search/timer/timer.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace swirl::search {

/// Compiles plans, several in parallel, and runs them on a GPU. Transforms: first each alone, briefly, then those near the
/// fastest interleaved. Products: those whose machine code does not rule them out (search/candidates/gpu/gemm_code.hpp),
/// interleaved, in the order that model and code predict. Executions cycle through arrays that together exceed the cache
/// (for a small problem: within it). Its clock stops while it fills them. Of a shortlist all are compiled at once, which the
/// clock does not count either, and timed interleaved.
class GpuTimer final : public Timer {
public:
    GpuTimer(const runtime::GpuDevice& device, bool use_cache)
        : device_(device), stream_(device), use_cache_(use_cache) {}

    double now() override;
    void compare(const Problem& problem, std::span<ScheduleCandidate> candidates, double deadline, Care care,
                 const Observer& observer) override;

private:
    void compare(const Transform& problem, std::span<ScheduleCandidate> candidates, double deadline,
                 const Observer& observer);
    void compare(const MatrixProduct& product, std::span<ScheduleCandidate> candidates, double deadline,
                 const Observer& observer);

    void compare_shortlist(const Transform& problem, std::span<ScheduleCandidate> candidates, double seconds,
                           const Observer& observer);
    void compare_shortlist(const MatrixProduct& product, std::span<ScheduleCandidate> candidates,
                           double seconds, const Observer& observer);

    void build(const Transform& problem, std::span<ScheduleCandidate> candidates,
               const Observer& observer) const;
    void screen(ScheduleCandidate& candidate, const Observer& observer);
    void finish(std::span<ScheduleCandidate* const> left, InterleavedTimingOptions options,
                const Observer& observer);
    void prepare(const Transform& problem);
    void prepare(const MatrixProduct& product);
    std::function<void(std::size_t)> execution_of(const planning::GpuPlan& plan);

    runtime::GpuDevice device_;
    runtime::GpuStream stream_;
    bool use_cache_;
    double preparing_seconds_ = 0;     ///< time to fill the arrays, which does not count towards the search
    std::optional<Transform> problem_; ///< problem of the current data
    std::optional<GpuTimingData> data_;
    std::optional<runtime::GpuBuffer> workspace_; ///< as large as the largest workspace so far
    std::optional<GpuGemmRuns> products_;
};

} // namespace swirl::search
