#pragma once

#include "plan/gpu_plan.hpp"
#include "plan/transform_schedule.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda/device.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/stream.hpp"
#include "search/timer/gpu_timing.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>

namespace swirl::search {

/// A GPU schedule to benchmark.
struct GpuTransformCandidate {
    planning::TransformSchedule schedule;
    double seconds = std::numeric_limits<double>::infinity(); ///< per execution; infinite: not timed
    bool fits = true; ///< false if the problem or the GPU turned out not to admit it
    std::shared_ptr<const planning::GpuPlan> plan = {}; ///< compiled, unchecked; null if not needed

    bool is_timed() const { return seconds < std::numeric_limits<double>::infinity(); }
};

/// Clock and benchmark for a search over GPU schedules. Tests substitute a fake.
class GpuTransformTimer {
public:
    virtual ~GpuTransformTimer() = default;

    /// Seconds on the timer's own clock.
    virtual double now() = 0;

    /// Called with the index of each candidate that has been run.
    using Seen = std::function<void(std::size_t)>;

    /// Times the candidates interleaved. The first is always timed; the others until `deadline` on this clock. A
    /// candidate that cannot be built keeps its infinite time.
    virtual void benchmark(const Transform& problem, std::span<GpuTransformCandidate> candidates,
                           double deadline, const Seen& seen) = 0;
};

/// Compiles plans, several in parallel, and runs them on a GPU: first each alone, briefly, then those near the fastest
/// interleaved. Executions cycle through arrays that together exceed the cache (for a small, unbatched problem: within
/// it). Its clock stops while it fills them.
class DeviceTransformTimer final : public GpuTransformTimer {
public:
    DeviceTransformTimer(const runtime::GpuDevice& device, bool use_cache)
        : device_(device), stream_(device), use_cache_(use_cache) {}

    double now() override;
    void benchmark(const Transform& problem, std::span<GpuTransformCandidate> candidates, double deadline,
                   const Seen& seen) override;

private:
    void build(const Transform& problem, std::span<GpuTransformCandidate> candidates) const;
    void screen(GpuTransformCandidate& candidate);
    void finish(std::span<GpuTransformCandidate* const> left, double seconds);
    void prepare(const Transform& problem);
    std::function<void(std::size_t)> execution_of(const planning::GpuPlan& plan);

    runtime::GpuDevice device_;
    runtime::GpuStream stream_;
    bool use_cache_;
    double preparing_seconds_ = 0;     ///< time to fill the arrays, which does not count towards the search
    std::optional<Transform> problem_; ///< problem of the current data
    std::optional<GpuTimingData> data_;
    std::optional<runtime::GpuBuffer> workspace_; ///< as large as the largest workspace so far
};

} // namespace swirl::search
