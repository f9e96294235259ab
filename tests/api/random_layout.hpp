#pragma once

#include <swirl/matrix_product.hpp>

#include <random>

namespace swirl {

/// A random layout of a matrix, and its size.
struct RandomLayout {
    MatrixLayout layout;
    Integer elements; ///< from the pointer on
};
inline RandomLayout random_layout(Integer rows, Integer columns, std::mt19937& random, bool may_conjugate) {
    const Integer more = static_cast<Integer>(random() % 3);
    MatrixLayout layout;
    switch (random() % 4) {
    case 0: layout = {.row_stride = 1, .column_stride = rows + more}; break;
    case 1: layout = {.row_stride = columns + more, .column_stride = 1}; break;
    case 2: layout = {.row_stride = 2, .column_stride = 2 * rows + more}; break;
    default: layout = {.row_stride = 3 * columns + more, .column_stride = 3}; break;
    }
    layout.conjugated = may_conjugate && random() % 2 == 0;
    const Integer elements = (rows - 1) * layout.row_stride + (columns - 1) * layout.column_stride + 1;
    layout.batch_stride = elements + more;
    return {layout, elements + more};
}

} // namespace swirl
