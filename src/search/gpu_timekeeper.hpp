#pragma once

#include "plan/gpu_plan.hpp"
#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/cuda_memory.hpp"
#include "runtime/cuda_stream.hpp"
#include "search/gpu_timing.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>

namespace swirl::search {

/// A recipe for a GPU in a contest of speed.
struct GpuContender {
    planning::Recipe recipe;
    double seconds = std::numeric_limits<double>::infinity(); ///< of one execution; infinite: not timed
    bool fits = true; ///< false where it turned out that the problem or the GPU does not admit it
    std::shared_ptr<const planning::GpuPlan> plan =
        {}; ///< compiled, not checked; null where it is not needed

    bool is_timed() const { return seconds < std::numeric_limits<double>::infinity(); }
};

/// What a search for a GPU's recipe asks of the world: the time, and how long recipes take. Tests put one in its place
/// that knows.
class GpuTimekeeper {
public:
    virtual ~GpuTimekeeper() = default;

    /// Seconds on a clock that only this has.
    virtual double now() = 0;

    /// Called with the index of each contender that has been run.
    using Seen = std::function<void(std::size_t)>;

    /// Times the contenders beside each other. The first is timed in any case; of the others those that time reaches
    /// until `until` on this clock. One that cannot be built keeps its infinite time.
    virtual void race(const Problem& problem, std::span<GpuContender> contenders, double until,
                      const Seen& seen) = 0;
};

/// Compiles plans, several at once, and runs them on a GPU: each alone for a moment, then those near the fastest in turn,
/// around arrays that together are beyond the cache (of a problem that is small and alone, within it). Its clock stands while
/// it fills them.
class DeviceTimekeeper final : public GpuTimekeeper {
public:
    DeviceTimekeeper(const runtime::GpuDevice& device, bool use_cache)
        : device_(device), stream_(device), use_cache_(use_cache) {}

    double now() override;
    void race(const Problem& problem, std::span<GpuContender> contenders, double until,
              const Seen& seen) override;

private:
    void build(const Problem& problem, std::span<GpuContender> contenders) const;
    void look_at(GpuContender& contender);
    void finish(std::span<GpuContender* const> left, double seconds);
    void prepare(const Problem& problem);
    std::function<void(std::size_t)> execution_of(const planning::GpuPlan& plan);

    runtime::GpuDevice device_;
    runtime::GpuStream stream_;
    bool use_cache_;
    double preparing_seconds_ = 0;   ///< data, which is no part of a search's time
    std::optional<Problem> problem_; ///< that the data is of
    std::optional<GpuTimingData> data_;
    std::optional<runtime::GpuBuffer> workspace_; ///< as large as any plan's so far
};

} // namespace swirl::search
