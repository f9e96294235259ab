#pragma once

#include "plan/check/batch_sample.hpp"
#include "plan/check/guarded_gpu_buffer.hpp"
#include "plan/check/problem_data.hpp"

#include <functional>
#include <string>
#include <vector>

namespace swirl::planning {

/// Arrays of a whole batch on a GPU, on which a plan runs with the data of a sample. All else is `poison`.
class GpuSampledExecution {
public:
    /// `plan` names the plan in messages. The sample must outlive this object.
    GpuSampledExecution(const runtime::GpuDevice& device, const BatchSample& sample, std::string plan);

    /// Calls `execute` with the arrays of the batch, waits for its work, and copies its results to the sample's data. Throws
    /// InternalError if it wrote around the arrays.
    void run(ProblemData& sampled, const std::function<void(const Arguments&)>& execute);

private:
    runtime::cuda::Address address_of(const BatchSample::Window& window) const;

    const BatchSample& sample_;
    std::string plan_;
    std::vector<ProblemArray> arrays_;
    std::vector<GuardedGpuBuffer> buffers_;
    ProblemArguments given_;
};

} // namespace swirl::planning
