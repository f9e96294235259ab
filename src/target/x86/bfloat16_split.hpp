#pragma once

#include "ir/instruction.hpp"

namespace swirl::target::x86 {

/// Splits float32 into bfloat16 on CPUs with AVX-512 BW: sequences of two integer instructions.

/// float32x16: the nearest bfloat16 of each lane, ties away from zero, as a float32. Overflows to infinity; a NaN
/// gives an unspecified value.
const ir::Instruction& rounded_to_bfloat16();

/// float32x16, float32x16 → bfloat16x32: the upper halves of the lanes, each from the first operand followed by the one
/// from the second. Exact for bfloat16 values; otherwise rounds towards zero.
const ir::Instruction& pairs_of_bfloat16();

} // namespace swirl::target::x86
