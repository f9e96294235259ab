#pragma once

#include <swirl/matrix_product.hpp>

namespace swirl::support {

/// A float32 C of a K of 192, with low-precision A and B whose contiguous rows or columns, like C's, are `pitch` elements
/// apart.
inline MatrixProduct padded_low_precision_product(bool by_rows, Integer rows, Integer columns,
                                                  Integer pitch) {
    MatrixProduct product = by_rows ? MatrixProduct::row_major(DataType::float32, rows, columns, 192)
                                    : MatrixProduct::column_major(DataType::float32, rows, columns, 192);
    product.a_type = product.b_type = DataType::bfloat16;
    if (by_rows)
        product.b.row_stride = product.c.row_stride = pitch;
    else
        product.a.column_stride = product.c.column_stride = pitch;
    return product;
}

} // namespace swirl::support
