#pragma once

#include "blas/multiply.hpp"
#include "plan/gemm/cpu/triangle.hpp"

/// Matrix multiplications that compute a triangle of the result: gemmt, syrk, herk, syr2k, her2k.
namespace swirl::blas {

template <class T> struct GemmtOperands {
    T alpha;
    View<const T> a;
    View<const T> b;
    T beta;
    View<T> c;
    /// Treat the imaginary components of c's diagonal as zero, and set them to zero, as for Hermitian matrices.
    bool real_diagonal = false;
};

/// Clears the imaginary components on the diagonal: a row of real elements, as far apart as the diagonal's.
template <class T> void make_diagonal_real(View<T> c) {
    using R = Real<T>;
    const R zero = 0;
    const MatrixProduct row{.data_type = data_type_of<R>(),
                            .rows = 1,
                            .columns = c.rows,
                            .c = {.row_stride = 1, .column_stride = 2 * (c.row_stride + c.column_stride)}};
    planning::scale_matrix(code_for<R>().scaling, row, &zero, reinterpret_cast<R*>(c.data) + 1);
}

/// Computes the selected triangle of c = α·a·b + β·c.
template <class T> void multiply_triangle(bool lower, const GemmtOperands<T>& p, int threads) {
    if constexpr (is_complex_type<T>)
        if (p.real_diagonal && p.beta != T(0)) make_diagonal_real(p.c);
    planning::multiply_triangle(
        described(p.a, p.b, p.c),
        lower ? planning::MatrixRegion::Half::lower : planning::MatrixRegion::Half::upper,
        {&p.alpha, p.a.data, p.b.data, &p.beta, p.c.data}, code_for<T>(), threads);
    if constexpr (is_complex_type<T>)
        if (p.real_diagonal) make_diagonal_real(p.c);
}

} // namespace swirl::blas
