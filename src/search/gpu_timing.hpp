#pragma once

#include "plan/gpu_plan.hpp"
#include "plan/gpu_problem_data.hpp"
#include "plan/problem_data.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/timer.hpp"

#include <cstddef>
#include <deque>

/// Times on a GPU, by its own clock.
namespace swirl::search {

/// Random data of a problem on a GPU, so many times that all together are several times its largest cache where the problem
/// is not very small: one that is stays in the cache, as it would for its user.
class GpuTimingData {
public:
    GpuTimingData(const runtime::GpuDevice& device, const Problem& problem);

    std::size_t sets() const { return sets_.size(); }
    /// Executions go around the sets.
    planning::Arguments arguments(std::size_t execution) const {
        return sets_[execution % sets_.size()].arguments();
    }
    void restore(); ///< all sets to what they were at first

private:
    planning::ProblemData host_;
    std::deque<planning::GpuProblemData> sets_;
};

struct GpuTimingOptions {
    double budget = 0.2; ///< seconds to spend on samples
    double shortest_sample =
        2e-3; ///< seconds; a sample is so many executions one after the other in a stream
    int least_samples = 5;
    int most_samples = 200;
};

/// Seconds of one execution. Executions go around arrays that together are several times the GPU's largest cache, so that
/// each finds its data in memory; their data is random. They share one workspace, which is not taken anew for each.
runtime::Measurement time_on_gpu(const planning::GpuPlan& plan, const GpuTimingOptions& options = {});

/// Bytes a second, read and written together, at which the driver copies arrays that are far larger than the caches.
double copy_bandwidth(const runtime::GpuDevice& device);

} // namespace swirl::search
