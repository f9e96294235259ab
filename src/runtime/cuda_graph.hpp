#pragma once

#include "runtime/cuda_stream.hpp"

#include <functional>
#include <memory>

namespace swirl::runtime {

/// Work recorded from a stream, to be started again by one call: what lies between its kernels is the GPU's time alone.
class GpuGraph {
public:
    /// Whether the driver can record, as those for CUDA 11.4 and later do.
    static bool is_supported(const CudaDriver& driver);

    /// Records what `work` puts into the stream, and runs nothing of it.
    GpuGraph(const GpuStream& stream, const std::function<void()>& work);

    void launch(const GpuStream& stream) const;

private:
    std::shared_ptr<void> graph_;
    GpuDevice device_;
};

} // namespace swirl::runtime
