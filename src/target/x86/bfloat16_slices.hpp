#pragma once

#include "ir/instruction.hpp"

namespace swirl::target::x86 {

/// What takes float32 apart into bfloat16 on CPUs with AVX-512 BW: sequences of two integer instructions.

/// float32x16: the bfloat16 nearest to each, ties away from zero, as a float32. Infinite beyond the largest bfloat16; a NaN may
/// become anything.
const ir::Instruction& rounded_to_bfloat16();

/// float32x16, float32x16 → bfloat16x32: the upper halves of the words, a number of the first operand beside its fellow of the
/// second. Exact for what is a bfloat16; else rounds towards zero.
const ir::Instruction& pairs_of_bfloat16();

} // namespace swirl::target::x86
