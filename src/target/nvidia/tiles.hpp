#pragma once

#include "ir/tile.hpp"

namespace swirl::target {

/// wgmma by the 128 threads of a warpgroup (PTX ISA, "wgmma.mma_async"): 64 rows; columns in multiples of 8 up to 256;
/// 32 bytes along K. Operands of float16 and bfloat16 may be K-major or MN-major. Operands of float32 are K-major, or A
/// in registers, and enter with 10 fraction bits (tf32). InternalError for any other.
const ir::WgmmaInstruction& wgmma_of(DataType operand_type, int columns);
/// The same, but overwrites the accumulators instead of adding to them.
const ir::WgmmaInstruction& wgmma_overwriting(DataType operand_type, int columns);

} // namespace swirl::target
