#pragma once

#include "emit/cpp/builtin.hpp"
#include "gemm/cpu/micro_kernel.hpp"

#include <vector>

/// GEMM micro-kernels compiled into the library, for hosts where no machine code can be generated.
namespace swirl::emit {

/// Micro-kernels that overwrite C with a full tile (see gemm::micro_kernel), one per data type.
std::vector<gemm::MicroKernel> builtin_tiles();

/// builtin_tiles.cpp, then builtin_tiles.inc with a line
///   SWIRL_BUILTIN_TILE(float64, FUNCTION)
/// per data type. The output is deterministic.
std::vector<SourceFile> builtin_tile_sources();

} // namespace swirl::emit
