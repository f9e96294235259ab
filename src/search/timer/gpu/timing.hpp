#pragma once

#include "plan/check/problem_data.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "runtime/cuda/device.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/stream.hpp"
#include "runtime/timer.hpp"

#include <cstddef>
#include <deque>
#include <vector>

/// Timing on a GPU, by its own clock.
namespace swirl::search {

/// Random data of a problem on a GPU, in so many sets that together they are several times its largest cache. A very
/// small problem gets one set, which stays in the cache, as it would for its user.
class GpuTimingData {
public:
    GpuTimingData(const runtime::GpuDevice& device, const Transform& problem);

    std::size_t sets() const { return sets_.size(); }
    /// Executions cycle through the sets.
    planning::Arguments arguments(std::size_t execution) const {
        return sets_[execution % sets_.size()].given.get();
    }
    void restore(); ///< resets all sets to their initial values

private:
    struct Set {
        std::vector<runtime::GpuBuffer> buffers;
        planning::ProblemArguments given;
    };
    runtime::GpuStream stream_;
    std::vector<planning::ProblemArray> arrays_;
    std::deque<Set> sets_;
};

struct GpuTimingOptions {
    double budget = 0.2;           ///< time budget for samples, in seconds
    double shortest_sample = 2e-3; ///< seconds; a sample repeats the execution in a stream
    int min_samples = 5;
    int max_samples = 200;
};

/// Seconds of one execution. Executions cycle through random arrays that together are several times the GPU's largest
/// cache, so each finds its data in global memory. They share one workspace, allocated once.
runtime::Measurement time_on_gpu(const planning::GpuPlan& plan, const GpuTimingOptions& options = {});

/// The same of each kernel alone, in the order of GpuPlan::kernels().
std::vector<runtime::Measurement> time_kernels_on_gpu(const planning::GpuPlan& plan,
                                                      const GpuTimingOptions& options = {});

/// Bandwidth (bytes read plus written per second) of the driver's copy between arrays far larger than the caches.
double copy_bandwidth(const runtime::GpuDevice& device);

} // namespace swirl::search
