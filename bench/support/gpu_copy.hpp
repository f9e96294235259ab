#pragma once

#include "runtime/cuda/module.hpp"
#include "search/timer/gpu/interleaved_timing.hpp"

#include <array>
#include <cstddef>

/// Copy bandwidth of a GPU, which benchmarks compare with.
namespace swirl::bench {

/// Two pairs of arrays, used alternately.
struct CopyArrays {
    std::array<runtime::cuda::Address, 2> from, to;
};

/// Bytes per second, read and written together: the faster of a simple kernel and the driver's copy. `bytes` per side,
/// rounded down to a multiple of 4096 if larger.
double copy_bandwidth(const runtime::GpuStream& stream, const CopyArrays& arrays, std::size_t bytes,
                      const search::InterleavedTimingOptions& options);

} // namespace swirl::bench
