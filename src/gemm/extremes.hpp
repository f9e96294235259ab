#pragma once

#include "ir/program.hpp"

namespace swirl::gemm {

/// Numbers that are looked at together.
constexpr int extremes_lanes = 16;

/// The largest and the least magnitudes in a matrix of float32 that has extremes_lanes numbers or more in a line, for CPUs with
/// AVX-512. Buffers `from`, and `to`: 16 magnitudes the largest of which is the matrix's, and 16 the least of which is the one
/// before the least that is not zero (see target/x86/magnitudes.hpp). Parameters, in this order:
///   lines   whose numbers are next to each other
///   whole   the length of a line, rounded down to a multiple of 64
///   length  ≥ 16
///   stride  from one line to the next, in numbers
ir::Program extremes(Integer most_lines, Integer most_length, Integer most_stride);

} // namespace swirl::gemm
