#pragma once

#include "blas/view.hpp"

/// Multiplication by small triangular matrices, and triangular solves: the base cases of trmm and trsm.
namespace swirl::blas {

/// The operation on a triangular matrix A and a matrix B.
enum class TriangularTask : unsigned char {
    multiply, ///< B becomes α·A·B
    solve,    ///< B becomes the X of A·X = α·B
};

template <class T> struct TriangularMatrix {
    View<const T> matrix; ///< square
    bool lower;           ///< which triangle is read
    bool unit;            ///< the diagonal is all ones and not read

    TriangularMatrix block(Integer first, Integer count) const {
        return {matrix.block(first, first, count, count), lower, unit};
    }
};

/// Triangular matrices of at most this many rows form one block.
constexpr Integer triangular_block = 64;

/// Performs the task for a matrix of at most triangular_block rows.
template <class T>
void run_block(TriangularTask task, T alpha, const TriangularMatrix<T>& a, View<T> b, int threads);

extern template void run_block(TriangularTask, float, const TriangularMatrix<float>&, View<float>, int);
extern template void run_block(TriangularTask, double, const TriangularMatrix<double>&, View<double>, int);
extern template void run_block(TriangularTask, std::complex<float>,
                               const TriangularMatrix<std::complex<float>>&, View<std::complex<float>>, int);
extern template void run_block(TriangularTask, std::complex<double>,
                               const TriangularMatrix<std::complex<double>>&, View<std::complex<double>>,
                               int);

} // namespace swirl::blas
