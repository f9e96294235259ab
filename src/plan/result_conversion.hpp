#pragma once

#include "problem/matrix_product.hpp"

namespace swirl::planning {

/// Maximum rows and columns of accumulators that stay in cache before conversion to C's data type.
constexpr Integer max_conversion_block = 1024;

/// Converts float32 accumulators, contiguous by columns, to C's data type as MatrixProduct::c_type says. One matrix of
/// the product's extents, with element (0, 0) at `c`.
void convert_and_store(const float* numbers, const MatrixProduct& product, void* c);

} // namespace swirl::planning
