#pragma once

#include "blas/product_code.hpp"
#include "blas/view.hpp"
#include "plan/gemm/cpu/multiply.hpp"

namespace swirl::blas {

template <class T> MatrixProduct described(const View<const T>& a, const View<const T>& b, const View<T>& c) {
    return {.data_type = data_type_of<T>(),
            .rows = c.rows,
            .columns = c.columns,
            .k = a.columns,
            .a = {a.row_stride, a.column_stride, a.conjugated},
            .b = {b.row_stride, b.column_stride, b.conjugated},
            .c = {c.row_stride, c.column_stride, c.conjugated}};
}

/// c = α·a·b + β·c. If β is zero, c is not read; if α is zero, a and b are not read.
template <class T>
void multiply(T alpha, std::type_identity_t<View<const T>> a, std::type_identity_t<View<const T>> b,
              std::type_identity_t<T> beta, View<T> c, int threads) {
    if (c.rows == 0 || c.columns == 0) return;
    planning::multiply(described(a, b, c), {&alpha, a.data, b.data, &beta, c.data}, code_for<T>(), threads);
}

/// c = β·c; sets c to zero if β is zero, NaN included.
template <class T> void scale(std::type_identity_t<T> beta, View<T> c, int threads) {
    if (beta == T(1)) return;
    multiply<T>(T(0), {c.data, c.rows, 0, 1, 1}, {c.data, 0, c.columns, 1, 1}, beta, c, threads);
}

} // namespace swirl::blas
