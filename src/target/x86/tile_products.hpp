#pragma once

#include "ir/instruction.hpp"

namespace swirl::target::x86 {

/// Products of matrices in tile registers (AMX; Intel SDM volume 2, TDPBF16PS, TDPBSSD and fellows): operands C, A, B, result C +
/// A·B. C is 16 rows of 16 columns, A 16 rows of a depth, B that depth by 16 columns, where B's steps along the depth lie in
/// groups that fill 32 bits, a group of one column beside that of the next.

/// float32x256 + bfloat16x512 · bfloat16x512, of depth 32. Steps of even and of odd number are a chain of fused multiply-adds
/// each, from zero on; their sum is added to C. All rounds to nearest, ties to even; subnormal numbers, read or computed, are zero.
const ir::Instruction& tile_product_of_bfloat16();

/// int32x256 + int32x256 · int32x256 of four bytes each, of depth 64, with or without signs; modulo 2³².
const ir::Instruction& tile_product_of_bytes(bool a_is_signed, bool b_is_signed);

} // namespace swirl::target::x86
