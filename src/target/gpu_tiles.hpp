#pragma once

#include "ir/tile.hpp"

namespace swirl::target {

/// Products of tiles by the 128 threads of a warpgroup: 64 rows, as many columns, a multiple of 8 up to 256, and 32 bytes of depth
/// (PTX ISA, "wgmma.mma_async"). Factors of float16 and bfloat16 may lie either way; those of float32 lie along the depth, the first
/// one or in registers, and count with 10 bits of fraction. InternalError for any other.
const ir::TileInstruction& tile_product_of(ir::Scalar factor, int columns);
/// The same, but sums become the products alone, whatever they were.
const ir::TileInstruction& first_tile_product_of(ir::Scalar factor, int columns);

} // namespace swirl::target
