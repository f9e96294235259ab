#pragma once

#include "ir/instruction.hpp"

namespace swirl::target::x86 {

/// Matrix multiplication in AMX tile registers (Intel SDM volume 2, TDPBF16PS, TDPBSSD and variants): operands C, A, B,
/// result C + A·B. C has 16 rows and 16 columns, A 16 rows and K columns, B K rows and 16 columns. B is stored in
/// groups of consecutive k that fill 32 bits (VNNI layout): for each group of k, one group per column.

/// float32x256 + bfloat16x512 · bfloat16x512, K = 32. Even k and odd k each form a chain of fused multiply-adds that
/// starts from zero; the sum of both is added to C. Rounds to nearest, ties to even; subnormal inputs and results are
/// flushed to zero.
const ir::Instruction& amx_bfloat16_product();

/// int32x256 + int32x256 · int32x256 of four bytes each, K = 64, signed or unsigned; modulo 2³².
const ir::Instruction& amx_byte_product(bool a_is_signed, bool b_is_signed);

} // namespace swirl::target::x86
