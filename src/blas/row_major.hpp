#pragma once

#include "blas/grouped_batch.hpp"
#include "blas/serve.hpp"

#include <utility>

/// Row-major calls. A row-major matrix is the transpose of a column-major one, so each call is converted to one that
/// computes the transposed result.
namespace swirl::blas {

constexpr char other_uplo(char letter) { return letter == 'U' ? 'L' : letter == 'L' ? 'U' : letter; }
constexpr char other_side(char letter) { return letter == 'L' ? 'R' : letter == 'R' ? 'L' : letter; }

/// Transposition letter of a rank update after transposing: A·Aᵀ becomes Aᵀ·A. Keeps invalid letters for rejection.
template <class T> constexpr char other_update(char letter, bool hermitian) {
    if (!is_update<T>(letter, hermitian)) return letter;
    return letter != 'N' ? 'N' : hermitian ? 'C' : 'T';
}

template <class T> Gemm<T> transposed(Gemm<T> call) {
    std::swap(call.transpose_a, call.transpose_b);
    std::swap(call.m, call.n);
    std::swap(call.a, call.b);
    std::swap(call.lda, call.ldb);
    return call;
}

template <class T> Gemmt<T> transposed(Gemmt<T> call) {
    call.uplo = other_uplo(call.uplo);
    std::swap(call.transpose_a, call.transpose_b);
    std::swap(call.a, call.b);
    std::swap(call.lda, call.ldb);
    return call;
}

template <class T> Symm<T> transposed(Symm<T> call) {
    call.side = other_side(call.side);
    call.uplo = other_uplo(call.uplo);
    std::swap(call.m, call.n);
    return call;
}

template <class T, class Scalar> Syrk<T, Scalar> transposed(Syrk<T, Scalar> call) {
    call.uplo = other_uplo(call.uplo);
    call.transpose = other_update<T>(call.transpose, call.hermitian);
    return call;
}

template <class T, class Beta> Syr2k<T, Beta> transposed(Syr2k<T, Beta> call) {
    call.uplo = other_uplo(call.uplo);
    call.transpose = other_update<T>(call.transpose, call.hermitian);
    if (call.hermitian) call.alpha = conjugate(call.alpha);
    return call;
}

template <class T> Trmm<T> transposed(Trmm<T> call) {
    call.side = other_side(call.side);
    call.uplo = other_uplo(call.uplo);
    std::swap(call.m, call.n);
    return call;
}

template <class T> StridedBatch<T> transposed(const StridedBatch<T>& batch) {
    const BatchStrides& strides = batch.strides;
    return {transposed(batch.call), {strides.b, strides.a, strides.c, strides.count}};
}

template <class T, class I> GroupedBatch<T, I> transposed(GroupedBatch<T, I> batch) {
    std::swap(batch.transpose_a, batch.transpose_b);
    std::swap(batch.m, batch.n);
    std::swap(batch.a, batch.b);
    std::swap(batch.lda, batch.ldb);
    return batch;
}

} // namespace swirl::blas
