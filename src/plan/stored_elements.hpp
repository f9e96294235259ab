#pragma once

#include "problem/matrix_product.hpp"

namespace swirl::planning {

/// Rows and columns of sums, at most, that wait in cache to be stored as other numbers.
constexpr Integer most_stored_together = 1024;

/// Rounds float32 numbers, column by column without gaps, to C's elements, as MatrixProduct::c_number says: of one matrix of the
/// product's extents, its element (0, 0) at `c`.
void store_elements(const float* numbers, const MatrixProduct& product, void* c);

} // namespace swirl::planning
