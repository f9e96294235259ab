#pragma once

#include "runtime/cuda_module.hpp"

#include <cstddef>

/// What users of a library write beside it.
namespace swirl::bench {

/// Kernels of the benchmark's own, in PTX.
class Kernels {
public:
    explicit Kernels(const runtime::GpuDevice& device);

    /// Multiplies complex numbers in float32 by those of `filter`, again and again; `points` of them, a power of two.
    /// `bytes` of data, a multiple of 4096.
    void multiply(const runtime::GpuStream& stream, runtime::cuda::Address data,
                  runtime::cuda::Address filter, unsigned points, std::size_t bytes) const;

private:
    runtime::GpuModule module_;
    runtime::GpuKernel multiply_;
};

} // namespace swirl::bench
