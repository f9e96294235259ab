#pragma once

#include "runtime/cuda/stream.hpp"

#include <functional>
#include <memory>

namespace swirl::runtime {

/// Work captured from a stream, replayed by one call: no host overhead between its kernels.
class GpuGraph {
public:
    /// Whether the driver supports capture: CUDA 11.4 and later.
    static bool is_supported(const CudaDriver& driver);

    /// Captures what `work` enqueues on the stream, without running it.
    GpuGraph(const GpuStream& stream, const std::function<void()>& work);

    void launch(const GpuStream& stream) const;

private:
    std::shared_ptr<void> graph_;
    GpuDevice device_;
};

} // namespace swirl::runtime
