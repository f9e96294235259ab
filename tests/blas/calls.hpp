#pragma once

#include "library.hpp"

/// Calls of the routines through any interface. Letters are Fortran's; sizes are those of the matrices, however they lie.
namespace swirl::test {

template <class T> constexpr std::string routine_of(const char* name) {
    return letter_of<T> + std::string(name);
}

template <class T>
void call_gemm(const Interface& way, char ta, char tb, std::int64_t m, std::int64_t n, std::int64_t k,
               T alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c,
               std::int64_t ldc) {
    const std::string name = routine_of<T>("gemm");
    with_integers(way, [&]<class I>(I) {
        const I im = static_cast<I>(m), in = static_cast<I>(n), ik = static_cast<I>(k),
                ia = static_cast<I>(lda), ib = static_cast<I>(ldb), ic = static_cast<I>(ldc);
        if (way.c)
            call(way, name, layout_of(way), enumerator_of_transpose(ta), enumerator_of_transpose(tb), im, in,
                 ik, as_c(alpha), a, ia, b, ib, as_c(beta), c, ic);
        else
            call(way, name, &ta, &tb, &im, &in, &ik, &alpha, a, &ia, b, &ib, &beta, c, &ic);
    });
}

template <class T>
void call_gemmt(const Interface& way, const char* routine, char uplo, char ta, char tb, std::int64_t n,
                std::int64_t k, T alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta,
                T* c, std::int64_t ldc) {
    with_integers(way, [&]<class I>(I) {
        const I in = static_cast<I>(n), ik = static_cast<I>(k), ia = static_cast<I>(lda),
                ib = static_cast<I>(ldb), ic = static_cast<I>(ldc);
        if (way.c)
            call(way, routine_of<T>(routine), layout_of(way), enumerator_of_uplo(uplo),
                 enumerator_of_transpose(ta), enumerator_of_transpose(tb), in, ik, as_c(alpha), a, ia, b, ib,
                 as_c(beta), c, ic);
        else
            call(way, routine_of<T>(routine), &uplo, &ta, &tb, &in, &ik, &alpha, a, &ia, b, &ib, &beta, c,
                 &ic);
    });
}

/// symm or hemm.
template <class T>
void call_symm(const Interface& way, const char* routine, char side, char uplo, std::int64_t m,
               std::int64_t n, T alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta,
               T* c, std::int64_t ldc) {
    with_integers(way, [&]<class I>(I) {
        const I im = static_cast<I>(m), in = static_cast<I>(n), ia = static_cast<I>(lda),
                ib = static_cast<I>(ldb), ic = static_cast<I>(ldc);
        if (way.c)
            call(way, routine_of<T>(routine), layout_of(way), enumerator_of_side(side),
                 enumerator_of_uplo(uplo), im, in, as_c(alpha), a, ia, b, ib, as_c(beta), c, ic);
        else
            call(way, routine_of<T>(routine), &side, &uplo, &im, &in, &alpha, a, &ia, b, &ib, &beta, c, &ic);
    });
}

/// syrk or herk, whose scalars are real.
template <class T, class S>
void call_syrk(const Interface& way, const char* routine, char uplo, char trans, std::int64_t n,
               std::int64_t k, S alpha, const T* a, std::int64_t lda, S beta, T* c, std::int64_t ldc) {
    with_integers(way, [&]<class I>(I) {
        const I in = static_cast<I>(n), ik = static_cast<I>(k), ia = static_cast<I>(lda),
                ic = static_cast<I>(ldc);
        if (way.c)
            call(way, routine_of<T>(routine), layout_of(way), enumerator_of_uplo(uplo),
                 enumerator_of_transpose(trans), in, ik, as_c(alpha), a, ia, as_c(beta), c, ic);
        else
            call(way, routine_of<T>(routine), &uplo, &trans, &in, &ik, &alpha, a, &ia, &beta, c, &ic);
    });
}

/// syr2k or her2k, whose β is real.
template <class T, class S>
void call_syr2k(const Interface& way, const char* routine, char uplo, char trans, std::int64_t n,
                std::int64_t k, T alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, S beta,
                T* c, std::int64_t ldc) {
    with_integers(way, [&]<class I>(I) {
        const I in = static_cast<I>(n), ik = static_cast<I>(k), ia = static_cast<I>(lda),
                ib = static_cast<I>(ldb), ic = static_cast<I>(ldc);
        if (way.c)
            call(way, routine_of<T>(routine), layout_of(way), enumerator_of_uplo(uplo),
                 enumerator_of_transpose(trans), in, ik, as_c(alpha), a, ia, b, ib, as_c(beta), c, ic);
        else
            call(way, routine_of<T>(routine), &uplo, &trans, &in, &ik, &alpha, a, &ia, b, &ib, &beta, c, &ic);
    });
}

/// trmm or trsm.
template <class T>
void call_triangular(const Interface& way, const char* routine, char side, char uplo, char trans, char diag,
                     std::int64_t m, std::int64_t n, T alpha, const T* a, std::int64_t lda, T* b,
                     std::int64_t ldb) {
    with_integers(way, [&]<class I>(I) {
        const I im = static_cast<I>(m), in = static_cast<I>(n), ia = static_cast<I>(lda),
                ib = static_cast<I>(ldb);
        if (way.c)
            call(way, routine_of<T>(routine), layout_of(way), enumerator_of_side(side),
                 enumerator_of_uplo(uplo), enumerator_of_transpose(trans), enumerator_of_diagonal(diag), im,
                 in, as_c(alpha), a, ia, b, ib);
        else
            call(way, routine_of<T>(routine), &side, &uplo, &trans, &diag, &im, &in, &alpha, a, &ia, b, &ib);
    });
}

} // namespace swirl::test
