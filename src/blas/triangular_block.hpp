#pragma once

#include "blas/view.hpp"

/// Products by small triangular matrices, and solutions of equations with them: what trmm and trsm end in.
namespace swirl::blas {

/// What is done with a triangular matrix A and a matrix B.
enum class TriangularTask : unsigned char {
    multiply, ///< B becomes α·A·B
    solve,    ///< B becomes the X of A·X = α·B
};

template <class T> struct TriangularMatrix {
    View<const T> matrix; ///< square
    bool lower;           ///< which triangle is read
    bool unit;            ///< ones on the diagonal, which is not read

    TriangularMatrix block(Integer first, Integer count) const {
        return {matrix.block(first, first, count, count), lower, unit};
    }
};

/// Triangular matrices of at most this many rows are one block.
constexpr Integer triangular_block = 64;

/// The task for a matrix of at most triangular_block rows.
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
