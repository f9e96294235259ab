#pragma once

#include <swirl/matrix_product.hpp>

namespace swirl::planning {

/// Copies a matrix, or its conjugate if the layout says so, to one whose columns follow each other. The data type is that of
/// accumulators.
void copy_matrix(DataType data_type, const void* from, const MatrixLayout& layout, Integer rows,
                 Integer columns, void* to);

} // namespace swirl::planning
