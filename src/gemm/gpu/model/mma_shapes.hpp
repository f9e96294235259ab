#pragma once

#include "gemm/gpu/schedule.hpp"

#include <vector>

namespace swirl::gemm {

/// Shapes of mma.sync candidates for a canonical problem of float64, or of 16-bit types with float32 accumulators: tiles
/// that fit waves of blocks need extents between the powers of two. Of a tile's divisions among warps only those that
/// load the fewest fragments, with and without slices of K.
std::vector<SimtGemm> mma_shapes(const MatrixProduct& canonical);

} // namespace swirl::gemm
