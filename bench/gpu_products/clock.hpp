#pragma once

#include "runtime/cuda_memory.hpp"
#include "runtime/cuda_module.hpp"

namespace swirl::bench {

/// How fast a GPU's multiprocessors run.
class Clock {
public:
    explicit Clock(const runtime::GpuDevice& device);

    /// Cycles a second over half a millisecond after what is in the stream, counted by a kernel; 0 where it cannot be
    /// told. Waits for the stream.
    double hertz(const runtime::GpuStream& stream) const;

private:
    runtime::GpuModule module_;
    runtime::GpuKernel kernel_;
    runtime::GpuBuffer counts_; ///< cycles, nanoseconds
};

} // namespace swirl::bench
