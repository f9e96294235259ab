#pragma once

#include "ir/program.hpp"

namespace swirl::gemm {

/// Elements examined together.
constexpr int extremes_lanes = 16;

/// Largest and smallest magnitudes of a float32 matrix with contiguous rows or columns of at least extremes_lanes
/// elements, for CPUs with AVX-512. Buffers: `from`, and `to`: 16 magnitudes whose maximum is the matrix's, then 16
/// whose minimum is the predecessor of the smallest nonzero magnitude (see target/x86/magnitudes.hpp). Parameters, in
/// this order:
///   lines   number of contiguous rows or columns
///   whole   length of each, rounded down to a multiple of 64
///   length  of each, ≥ 16
///   stride  from one to the next, in elements
ir::Program extremes(Integer max_columns, Integer max_length, Integer max_stride);

/// The same for elements with any strides. Parameters: `lines`, `length`, `element_stride` from one element of a line to
/// the next, `stride` from one line to the next.
ir::Program extremes_one_by_one(Integer max_columns, Integer max_length, Integer max_stride);

} // namespace swirl::gemm
