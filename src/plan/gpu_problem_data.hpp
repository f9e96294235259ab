#pragma once

#include "plan/problem_data.hpp"
#include "runtime/cuda_memory.hpp"

#include <vector>

namespace swirl::planning {

/// A GPU's copy of a problem's data, laid out like that on the host.
class GpuProblemData {
public:
    GpuProblemData(const runtime::GpuDevice& device, const ProblemData& host);

    Arguments arguments() const { return arguments_; }
    void copy_from(const ProblemData& host); ///< returns when it is there
    void copy_to(ProblemData& host) const;   ///< waits for all that runs on the GPU

private:
    runtime::GpuDevice device_;
    std::vector<runtime::GpuBuffer> buffers_;
    Arguments arguments_;
    std::vector<ArrayArgument> beside_;
};

} // namespace swirl::planning
