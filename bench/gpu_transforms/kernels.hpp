#pragma once

#include "runtime/cuda/module.hpp"

#include <cstddef>

/// Kernels that users of a library write themselves.
namespace swirl::bench {

/// The benchmark's own kernels, in PTX.
class Kernels {
public:
    explicit Kernels(const runtime::GpuDevice& device);

    /// Multiplies complex float32 data by `filter`, periodically; `points` is the filter's length, a power of two.
    /// `bytes` of data, a multiple of 4096.
    void multiply(const runtime::GpuStream& stream, runtime::cuda::Address data,
                  runtime::cuda::Address filter, unsigned points, std::size_t bytes) const;

private:
    runtime::GpuModule module_;
    runtime::GpuKernel multiply_;
};

} // namespace swirl::bench
