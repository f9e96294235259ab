#pragma once

#include "ir/program.hpp"

namespace swirl::gemm {

/// Elements examined together.
constexpr int extremes_lanes = 16;

/// Largest and smallest magnitudes of a float32 matrix with contiguous lines of at least extremes_lanes elements, for
/// CPUs with AVX-512. Buffers: `from`, and `to`: 16 magnitudes whose maximum is the matrix's, then 16 whose minimum
/// is the predecessor of the smallest nonzero magnitude (see target/x86/magnitudes.hpp). Parameters, in this order:
///   lines   number of contiguous lines
///   whole   length of a line, rounded down to a multiple of 64
///   length  of a line, ≥ 16
///   stride  from one line to the next, in elements
ir::Program extremes(Integer max_columns, Integer max_length, Integer max_stride);

} // namespace swirl::gemm
