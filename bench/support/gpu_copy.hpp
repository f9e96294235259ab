#pragma once

#include "runtime/cuda_module.hpp"
#include "search/gpu_turns.hpp"

#include <array>
#include <cstddef>

/// What moving data on a GPU takes, which benchmarks compare with.
namespace swirl::bench {

/// Two pairs of arrays, to be used in turn.
struct CopyArrays {
    std::array<runtime::cuda::Address, 2> from, to;
};

/// Bytes a second, read and written together: by the faster of a plain kernel and the driver. `bytes` on a side, rounded
/// down to a multiple of 4096 where they are more.
double copy_bandwidth(const runtime::GpuStream& stream, const CopyArrays& arrays, std::size_t bytes,
                      const search::GpuTurnOptions& options);

} // namespace swirl::bench
