#pragma once

#include "blas/arguments.hpp"
#include "blas/triangular_block.hpp"
#include "ir/program.hpp"
#include "target/cpu.hpp"

#include <span>
#include <vector>

/// The routines, for all data types and interfaces. Arguments must have passed `first_wrong`.
namespace swirl::blas {

template <class T> void gemm(const Gemm<T>& call, int threads);
template <class T> void gemmt(const Gemmt<T>& call, int threads);
template <class T> void symm(const Symm<T>& call, bool hermitian, int threads);
template <class T, class Scalar> void syrk(const Syrk<T, Scalar>& call, int threads);
template <class T, class Beta> void syr2k(const Syr2k<T, Beta>& call, int threads);
/// trmm or trsm.
template <class T> void triangular(TriangularTask task, const Trmm<T>& call, int threads);

/// `count` products, with these distances in elements between consecutive matrices.
struct BatchStrides {
    Integer a, b, c;
    Integer count;
};
template <class T> void gemm_batch(const Gemm<T>& call, const BatchStrides& strides, int threads);

/// A pointer-array batch of `count` products.
template <class T> struct Pointers {
    const T* const* a;
    const T* const* b;
    T* const* c;
    Integer count;
};
/// Products of one shape; the matrix pointers of `call` are unused.
template <class T> struct PointerBatch {
    Gemm<T> call;
    Pointers<T> pointers;
};
template <class T> void gemm_batch(std::span<const PointerBatch<T>> groups, int threads);

// ---- what the routines run besides products, for a CPU; arrays may be null
template <class T>
std::vector<ir::Program> programs_of(TriangularTask task, const Trmm<T>& call, const target::Cpu& cpu);
template <class T>
std::vector<ir::Program> programs_of(const Symm<T>& call, bool hermitian, const target::Cpu& cpu);

} // namespace swirl::blas
