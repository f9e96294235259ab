#pragma once

#include "blas/multiply.hpp"
#include "blas/triangular_block.hpp"

/// Triangular matrices of any size on the left: trmm, trsm.
namespace swirl::blas {

/// Where to split n rows: about the middle, with whole blocks in the first half.
constexpr Integer cut(Integer n) {
    return (n / 2 + triangular_block - 1) / triangular_block * triangular_block;
}

/// B = α·A·B. Rows that other rows still need are updated last.
template <class T> void multiply_triangular(T alpha, const TriangularMatrix<T>& a, View<T> b, int threads) {
    const Integer n = b.rows;
    if (n <= triangular_block) return run_block(TriangularTask::multiply, alpha, a, b, threads);
    const Integer first = cut(n), rest = n - first;
    const View<T> top = b.rows_from(0, first), bottom = b.rows_from(first, rest);
    if (a.lower) {
        multiply_triangular(alpha, a.block(first, rest), bottom, threads);
        multiply(alpha, a.matrix.block(first, 0, rest, first), top, T(1), bottom, threads);
        multiply_triangular(alpha, a.block(0, first), top, threads);
    } else {
        multiply_triangular(alpha, a.block(0, first), top, threads);
        multiply(alpha, a.matrix.block(0, first, first, rest), bottom, T(1), top, threads);
        multiply_triangular(alpha, a.block(first, rest), bottom, threads);
    }
}

/// B = α·A⁻¹·B: solves for one half of the unknowns and substitutes them into the equations of the other half.
template <class T> void solve_triangular(T alpha, const TriangularMatrix<T>& a, View<T> b, int threads) {
    const Integer n = b.rows;
    if (n <= triangular_block) return run_block(TriangularTask::solve, alpha, a, b, threads);
    const Integer first = cut(n), rest = n - first;
    const View<T> top = b.rows_from(0, first), bottom = b.rows_from(first, rest);
    if (a.lower) {
        solve_triangular(alpha, a.block(0, first), top, threads);
        multiply(T(-1), a.matrix.block(first, 0, rest, first), top, alpha, bottom, threads);
        solve_triangular(T(1), a.block(first, rest), bottom, threads);
    } else {
        solve_triangular(alpha, a.block(first, rest), bottom, threads);
        multiply(T(-1), a.matrix.block(0, first, first, rest), bottom, alpha, top, threads);
        solve_triangular(T(1), a.block(0, first), top, threads);
    }
}

} // namespace swirl::blas
