#pragma once

#include "runtime/cuda_stream.hpp"

#include <functional>
#include <memory>

namespace swirl::bench {

/// Work recorded from a stream, to be started again by one call: what lies between its kernels is the GPU's time alone.
class RecordedGraph {
public:
    /// Whether the driver can record. Where it cannot, work is put into the stream each time.
    static bool is_supported();

    /// Records what `work` puts into the stream, and runs nothing of it.
    RecordedGraph(const runtime::GpuStream& stream, const std::function<void()>& work);

    void launch(const runtime::GpuStream& stream) const;

private:
    std::shared_ptr<void> graph_;
    runtime::GpuDevice device_;
};

} // namespace swirl::bench
