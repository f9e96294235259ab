#pragma once

#include "ir/instruction.hpp"

namespace swirl::target::x86 {

/// Extrema of magnitudes, float32x16, on CPUs with AVX-512: sequences of integer instructions on the bits of the
/// elements, which order as magnitudes do; infinities, and above them NaNs, are the largest.

/// The larger of a, a magnitude, and |b|.
const ir::Instruction& largest_magnitude();

/// The smaller of the bits of a and those of |b| minus 1, as unsigned integers; so a zero b leaves a. Starting a
/// reduction from infinity and adding 1 to its result's bits gives the smallest nonzero magnitude.
const ir::Instruction& least_magnitude();

} // namespace swirl::target::x86
