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

template <class T> void make_diagonal_real(View<T> c) {
    for (Integer i = 0; i < c.rows; ++i) *c.at(i, i) = real_part(*c.at(i, i));
}

/// Computes the selected triangle of c = α·a·b + β·c.
template <class T> void multiply_triangle(bool lower, const GemmtOperands<T>& p, int threads) {
    if (p.real_diagonal && p.beta != T(0)) make_diagonal_real(p.c);
    planning::multiply_triangle(
        described(p.a, p.b, p.c),
        lower ? planning::MatrixRegion::Half::lower : planning::MatrixRegion::Half::upper,
        {&p.alpha, p.a.data, p.b.data, &p.beta, p.c.data}, code_for<T>(), threads);
    if (p.real_diagonal) make_diagonal_real(p.c);
}

} // namespace swirl::blas
