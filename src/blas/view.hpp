#pragma once

#include "blas/scalar_traits.hpp"

#include <type_traits>

namespace swirl::blas {

/// A matrix in memory that it does not own: element (i, j) is data[i·row_stride + j·column_stride], or its conjugate.
template <class T> struct View {
    T* data;
    Integer rows;
    Integer columns;
    Integer row_stride;
    Integer column_stride;
    bool conjugated = false;

    T* at(Integer i, Integer j) const { return data + i * row_stride + j * column_stride; }
    std::remove_const_t<T> operator()(Integer i, Integer j) const {
        return conjugated ? conjugate<std::remove_const_t<T>>(*at(i, j)) : *at(i, j);
    }
    View block(Integer i, Integer j, Integer block_rows, Integer block_columns) const {
        return {at(i, j), block_rows, block_columns, row_stride, column_stride, conjugated};
    }
    View rows_from(Integer i, Integer count) const { return block(i, 0, count, columns); }
    View columns_from(Integer j, Integer count) const { return block(0, j, rows, count); }
    View transposed() const { return {data, columns, rows, column_stride, row_stride, conjugated}; }
    /// Rows and columns in reverse order.
    View reversed() const {
        return {at(rows - 1, columns - 1), rows, columns, -row_stride, -column_stride, conjugated};
    }
    /// The conjugate if `wanted`, otherwise the same matrix.
    View conjugate_if(bool wanted) const {
        return {data, rows, columns, row_stride, column_stride, conjugated != wanted};
    }
    operator View<const T>() const requires(!std::is_const_v<T>) {
        return {data, rows, columns, row_stride, column_stride, conjugated};
    }
};

/// The layout of all matrices in the BLAS: column-major, with the leading dimension in elements.
template <class T> View<T> column_major(T* data, Integer rows, Integer columns, Integer leading) {
    return {data, rows, columns, 1, leading};
}

} // namespace swirl::blas
