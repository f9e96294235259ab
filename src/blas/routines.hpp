#pragma once

#include "blas/arguments.hpp"
#include "blas/triangular_block.hpp"

#include <span>

/// The routines, once for all numbers and interfaces. Arguments are as `first_wrong` accepts them.
namespace swirl::blas {

template <class T> void gemm(const Gemm<T>& call, int threads);
template <class T> void gemmt(const Gemmt<T>& call, int threads);
template <class T> void symm(const Symm<T>& call, bool hermitian, int threads);
template <class T, class Scalar> void syrk(const Syrk<T, Scalar>& call, int threads);
template <class T, class Beta> void syr2k(const Syr2k<T, Beta>& call, int threads);
/// trmm or trsm.
template <class T> void triangular(TriangularTask task, const Trmm<T>& call, int threads);

/// `count` products whose matrices lie so many numbers apart.
struct BatchStrides {
    Integer a, b, c;
    Integer count;
};
template <class T> void gemm_batch(const Gemm<T>& call, const BatchStrides& strides, int threads);

/// `count` products whose matrices are those of a list.
template <class T> struct Pointers {
    const T* const* a;
    const T* const* b;
    T* const* c;
    Integer count;
};
/// Products of one shape; the pointers of `call` say nothing.
template <class T> struct PointerBatch {
    Gemm<T> call;
    Pointers<T> pointers;
};
template <class T> void gemm_batch(std::span<const PointerBatch<T>> groups, int threads);

} // namespace swirl::blas
