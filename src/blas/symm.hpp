#pragma once

#include "blas/kernels.hpp"
#include "blas/multiply.hpp"
#include "blas/scratch.hpp"
#include "gemm/square.hpp"

/// Multiplication by a symmetric or Hermitian matrix given by its lower triangle: symm, hemm.
namespace swirl::blas {

template <class T> struct SymmetricMatrix {
    View<const T> lower;
    bool hermitian; ///< the upper triangle is conjugated; imaginary components of the diagonal count as zero
};

/// Blocks of at most this size are expanded to both triangles.
constexpr Integer symmetric_block = 256;

/// The kernel for both triangles of a block.
template <class T> Mirror mirror_kernel(const SymmetricMatrix<T>& matrix, const target::Cpu& cpu) {
    const View<const T>& lower = matrix.lower;
    const bool is_upper = lower.row_stride != 1; // in memory, where columns are contiguous
    Mirror kernel{.data_type = data_type_of<T>(),
                  .upper = is_upper,
                  .hermitian = matrix.hermitian,
                  .conjugated = lower.conjugated != (is_upper && matrix.hermitian),
                  .lanes = gemm::square_lanes(data_type_of<T>(), cpu),
                  .most_rows = symmetric_block};
    kernel.rest = static_cast<int>(lower.rows % kernel.lanes);
    return kernel;
}

/// Where no kernel can run.
template <class T> void mirror_on_host(const SymmetricMatrix<T>& matrix, const View<T>& both) {
    for (Integer j = 0; j < both.columns; ++j)
        for (Integer i = j; i < both.rows; ++i) {
            const T of_lower = matrix.lower(i, j);
            const T x = i == j && matrix.hermitian ? real_part(of_lower) : of_lower;
            *both.at(i, j) = x;
            *both.at(j, i) = matrix.hermitian ? conjugate(x) : x;
        }
}

/// Both triangles, in a contiguous column-major copy.
template <class T> View<T> mirrored(const SymmetricMatrix<T>& matrix) {
    const View<const T>& lower = matrix.lower;
    const Integer n = lower.rows;
    const View<T> both = column_major(scratch<T>(Scratch::block, n * n), n, n, n);
    if (!can_run_kernels()) {
        mirror_on_host(matrix, both);
        return both;
    }
    const Mirror kernel = mirror_kernel(matrix, kernel_cpu());
    void* const buffers[] = {const_cast<T*>(lower.data), both.data};
    const std::int64_t parameters[] = {n - kernel.rest,
                                       kernel.upper ? lower.row_stride : lower.column_stride};
    compiled(kernel)(buffers, parameters);
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
