#pragma once

#include "blas/scalar_traits.hpp"

#include <algorithm>
#include <initializer_list>

/// Arguments of a call as in the Fortran interface, and their validation. `first_wrong` returns the position of the
/// first argument that the reference implementation would reject, counted from 1 as it does; 0 if all are valid.
namespace swirl::blas {

/// Compares a letter, in upper or lower case, with an upper-case one.
constexpr bool is(char letter, char wanted) { return letter == wanted || letter == wanted + ('a' - 'A'); }
constexpr bool is_transpose(char letter) { return is(letter, 'N') || is(letter, 'T') || is(letter, 'C'); }
constexpr bool is_uplo(char letter) { return is(letter, 'U') || is(letter, 'L'); }
constexpr bool is_side(char letter) { return is(letter, 'L') || is(letter, 'R'); }
constexpr bool is_diagonal(char letter) { return is(letter, 'U') || is(letter, 'N'); }

struct Refusal {
    int position;
    bool wrong;
};
constexpr int first_of(std::initializer_list<Refusal> refusals) {
    for (const Refusal& refusal : refusals)
        if (refusal.wrong) return refusal.position;
    return 0;
}

/// Whether the leading dimension is too small for columns of this many rows.
constexpr bool too_short(Integer leading, Integer rows) { return leading < std::max<Integer>(1, rows); }

/// C = α·op(A)·op(B) + β·C
template <class T> struct Gemm {
    char transpose_a, transpose_b;
    Integer m, n, k;
    T alpha;
    const T* a;
    Integer lda;
    const T* b;
    Integer ldb;
    T beta;
    T* c;
    Integer ldc;

    int first_wrong() const {
        return first_of({{1, !is_transpose(transpose_a)},
                         {2, !is_transpose(transpose_b)},
                         {3, m < 0},
                         {4, n < 0},
                         {5, k < 0},
                         {8, too_short(lda, is(transpose_a, 'N') ? m : k)},
                         {10, too_short(ldb, is(transpose_b, 'N') ? k : n)},
                         {13, too_short(ldc, m)}});
    }
};

/// The same for a triangle of C, which is square.
template <class T> struct Gemmt {
    char uplo, transpose_a, transpose_b;
    Integer n, k;
    T alpha;
    const T* a;
    Integer lda;
    const T* b;
    Integer ldb;
    T beta;
    T* c;
    Integer ldc;

    int first_wrong() const {
        return first_of({{1, !is_uplo(uplo)},
                         {2, !is_transpose(transpose_a)},
                         {3, !is_transpose(transpose_b)},
                         {4, n < 0},
                         {5, k < 0},
                         {8, too_short(lda, is(transpose_a, 'N') ? n : k)},
                         {10, too_short(ldb, is(transpose_b, 'N') ? k : n)},
                         {13, too_short(ldc, n)}});
    }
};

/// C = α·A·B + β·C or α·B·A + β·C for a symmetric or Hermitian A
template <class T> struct Symm {
    char side, uplo;
    Integer m, n;
    T alpha;
    const T* a;
    Integer lda;
    const T* b;
    Integer ldb;
    T beta;
    T* c;
    Integer ldc;

    int first_wrong() const {
        return first_of({{1, !is_side(side)},
                         {2, !is_uplo(uplo)},
                         {3, m < 0},
                         {4, n < 0},
                         {7, too_short(lda, is(side, 'L') ? m : n)},
                         {9, too_short(ldb, m)},
                         {12, too_short(ldc, m)}});
    }
};

/// Whether rank updates accept this letter: complex symmetric ones reject 'C', Hermitian ones 'T'.
template <class T> constexpr bool is_update(char letter, bool hermitian) {
    if (is(letter, 'N')) return true;
    return hermitian ? is(letter, 'C') : is(letter, 'T') || (!is_complex_type<T> && is(letter, 'C'));
}

/// C = α·A·Aᵀ + β·C or α·Aᵀ·A + β·C; for Hermitian C with Aᴴ and real `Scalar`s
template <class T, class Scalar> struct Syrk {
    static constexpr bool hermitian = !std::is_same_v<T, Scalar>;
    char uplo, transpose;
    Integer n, k;
    Scalar alpha;
    const T* a;
    Integer lda;
    Scalar beta;
    T* c;
    Integer ldc;

    int first_wrong() const {
        return first_of({{1, !is_uplo(uplo)},
                         {2, !is_update<T>(transpose, hermitian)},
                         {3, n < 0},
                         {4, k < 0},
                         {7, too_short(lda, is(transpose, 'N') ? n : k)},
                         {10, too_short(ldc, n)}});
    }
};

/// C = α·A·Bᵀ + α·B·Aᵀ + β·C, or with the transpositions on the left; for Hermitian C with Bᴴ, ᾱ·B·Aᴴ and a real β
template <class T, class Beta> struct Syr2k {
    static constexpr bool hermitian = !std::is_same_v<T, Beta>;
    char uplo, transpose;
    Integer n, k;
    T alpha;
    const T* a;
    Integer lda;
    const T* b;
    Integer ldb;
    Beta beta;
    T* c;
    Integer ldc;

    int first_wrong() const {
        const Integer rows = is(transpose, 'N') ? n : k;
        return first_of({{1, !is_uplo(uplo)},
                         {2, !is_update<T>(transpose, hermitian)},
                         {3, n < 0},
                         {4, k < 0},
                         {7, too_short(lda, rows)},
                         {9, too_short(ldb, rows)},
                         {12, too_short(ldc, n)}});
    }
};

/// B = α·op(A)·B or α·B·op(A), or with the inverse of op(A), for a triangular A
template <class T> struct Trmm {
    char side, uplo, transpose, diagonal;
    Integer m, n;
    T alpha;
    const T* a;
    Integer lda;
    T* b;
    Integer ldb;

    int first_wrong() const {
        return first_of({{1, !is_side(side)},
                         {2, !is_uplo(uplo)},
                         {3, !is_transpose(transpose)},
                         {4, !is_diagonal(diagonal)},
                         {5, m < 0},
                         {6, n < 0},
                         {9, too_short(lda, is(side, 'L') ? m : n)},
                         {11, too_short(ldb, m)}});
    }
};

} // namespace swirl::blas
