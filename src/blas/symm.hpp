#pragma once

#include "blas/multiply.hpp"
#include "blas/scratch.hpp"

#include <algorithm>

/// Multiplication by a symmetric or Hermitian matrix given by its lower triangle: symm, hemm.
namespace swirl::blas {

template <class T> struct SymmetricMatrix {
    View<const T> lower;
    bool hermitian; ///< the upper triangle is conjugated; imaginary components of the diagonal count as zero
};

/// Blocks of at most this size are expanded to both triangles.
constexpr Integer symmetric_block = 256;

/// Both triangles, in a contiguous column-major copy.
template <class T> View<T> mirrored(const SymmetricMatrix<T>& matrix) {
    const View<const T>& from = matrix.lower;
    const Integer n = from.rows;
    const View<T> both = column_major(scratch<T>(Scratch::block, n * n), n, n, n);
    constexpr Integer tile = 16; // rows and columns whose cache lines are in use at once
    for (Integer column = 0; column < n; column += tile)
        for (Integer row = column; row < n; row += tile)
            for (Integer j = column; j < std::min(n, column + tile); ++j)
                for (Integer i = std::max(row, j); i < std::min(n, row + tile); ++i) {
                    const T x = i == j && matrix.hermitian ? real_part(from(i, j)) : from(i, j);
                    *both.at(i, j) = x;
                    *both.at(j, i) = matrix.hermitian ? conjugate(x) : x;
                }
    return both;
}

/// c = α·a·b + β·c.
template <class T>
void multiply_symmetric(T alpha, const SymmetricMatrix<T>& a, View<const T> b, T beta, View<T> c,
                        int threads) {
    const Integer n = c.rows;
    if (n <= symmetric_block) return multiply<T>(alpha, mirrored(a), b, beta, c, threads);
    const Integer first = (n / 2 + 15) / 16 * 16;
    const Integer rest = n - first;
    const View<const T> below = a.lower.block(first, 0, rest, first);
    const View<const T> upper_b = b.rows_from(0, first), lower_b = b.rows_from(first, rest);
    const View<T> upper_c = c.rows_from(0, first), lower_c = c.rows_from(first, rest);
    multiply_symmetric(alpha, {a.lower.block(0, 0, first, first), a.hermitian}, upper_b, beta, upper_c,
                       threads);
    multiply(alpha, below.transposed().conjugate_if(a.hermitian), lower_b, T(1), upper_c, threads);
    multiply(alpha, below, upper_b, beta, lower_c, threads);
    multiply_symmetric(alpha, {a.lower.block(first, first, rest, rest), a.hermitian}, lower_b, T(1), lower_c,
                       threads);
}

} // namespace swirl::blas
