#pragma once

#include "emit/builtin.hpp"
#include "gemm/micro_kernel.hpp"

#include <vector>

/// The tiles of matrix products that are compiled into the library, for machines where no machine code can be generated.
namespace swirl::emit {

/// Whole tiles that overwrite C (see gemm::micro_kernel), one for each kind of number.
std::vector<gemm::MicroKernel> builtin_tiles();

/// builtin_tiles.cpp, then builtin_tiles.inc with a line
///   SWIRL_BUILTIN_TILE(float64, FUNCTION)
/// for each kind of number. The same on every run.
std::vector<SourceFile> builtin_tile_sources();

} // namespace swirl::emit
