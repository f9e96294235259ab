#pragma once

#include "ir/instruction.hpp"

namespace swirl::target::x86 {

/// Extremes of magnitudes, float32x16, on CPUs with AVX-512: sequences of integer instructions on the numbers' words, which are
/// ordered as magnitudes are; infinities and, beyond them, NaNs are the largest.

/// The larger of a, a magnitude, and |b|.
const ir::Instruction& largest_magnitude();

/// The lesser of a and the word before |b|'s; a where b is zero. So the word after the result of a reduction that begins with
/// infinity is that of the least number that is not zero.
const ir::Instruction& least_magnitude();

} // namespace swirl::target::x86
