#pragma once

#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/module.hpp"

namespace swirl::bench {

/// Clock frequency of a GPU's multiprocessors.
class Clock {
public:
    explicit Clock(const runtime::GpuDevice& device);

    /// Cycles per second over half a millisecond after the work in the stream, counted by a kernel; 0 if unknown. Waits
    /// for the stream.
    double hertz(const runtime::GpuStream& stream) const;

private:
    runtime::GpuModule module_;
    runtime::GpuKernel kernel_;
    runtime::GpuBuffer counts_; ///< cycles, nanoseconds
};

} // namespace swirl::bench
