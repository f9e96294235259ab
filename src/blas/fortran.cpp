/// Fortran interface: all arguments by address, lower-case names with a trailing underscore; _64_ with 64-bit integers.
/// Hidden string lengths come last and are ignored.
#include <swirl/export.h>

#include "blas/grouped_batch.hpp"
#include "blas/serve.hpp"

using namespace swirl::blas;

namespace {
constexpr Caller caller_of(const char* routine, bool wide) {
    return {routine, Caller::Interface::fortran, wide};
}
using Lp64 = std::int32_t;
using Ilp64 = std::int64_t;
} // namespace

// NAME(…, T, I, wide) for both integer types.
#define SWIRL_BLAS_BOTH(NAME, name, ...)    \
    NAME(name##_, #name, Lp64, __VA_ARGS__) \
    NAME(name##_64_, #name, Ilp64, __VA_ARGS__)

#define SWIRL_BLAS_GEMM_AS(symbol, name, I, T)                                                               \
    SWIRL_API void symbol(const char* transa, const char* transb, const I* m, const I* n, const I* k,        \
                          const T* alpha, const T* a, const I* lda, const T* b, const I* ldb, const T* beta, \
                          T* c, const I* ldc) {                                                              \
        serve(caller_of(name, sizeof(I) == 8),                                                               \
              Gemm<T>{*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc}, run_gemm);    \
    }
#define SWIRL_BLAS_GEMMT_AS(symbol, name, I, T)                                                              \
    SWIRL_API void symbol(const char* uplo, const char* transa, const char* transb, const I* n, const I* k,  \
                          const T* alpha, const T* a, const I* lda, const T* b, const I* ldb, const T* beta, \
                          T* c, const I* ldc) {                                                              \
        serve(caller_of(name, sizeof(I) == 8),                                                               \
              Gemmt<T>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc},           \
              run_gemmt);                                                                                    \
    }
#define SWIRL_BLAS_SYMM_AS(symbol, name, I, T, run)                                                   \
    SWIRL_API void symbol(const char* side, const char* uplo, const I* m, const I* n, const T* alpha, \
                          const T* a, const I* lda, const T* b, const I* ldb, const T* beta, T* c,    \
                          const I* ldc) {                                                             \
        serve(caller_of(name, sizeof(I) == 8),                                                        \
              Symm<T>{*side, *uplo, *m, *n, *alpha, a, *lda, b, *ldb, *beta, c, *ldc}, run);          \
    }
#define SWIRL_BLAS_SYRK_AS(symbol, name, I, T, Scalar)                                                      \
    SWIRL_API void symbol(const char* uplo, const char* trans, const I* n, const I* k, const Scalar* alpha, \
                          const T* a, const I* lda, const Scalar* beta, T* c, const I* ldc) {               \
        serve(caller_of(name, sizeof(I) == 8),                                                              \
              Syrk<T, Scalar>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc}, run_syrk);           \
    }
#define SWIRL_BLAS_SYR2K_AS(symbol, name, I, T, Beta)                                                      \
    SWIRL_API void symbol(const char* uplo, const char* trans, const I* n, const I* k, const T* alpha,     \
                          const T* a, const I* lda, const T* b, const I* ldb, const Beta* beta, T* c,      \
                          const I* ldc) {                                                                  \
        serve(caller_of(name, sizeof(I) == 8),                                                             \
              Syr2k<T, Beta>{*uplo, *trans, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc}, run_syr2k); \
    }
#define SWIRL_BLAS_TRMM_AS(symbol, name, I, T, run)                                                 \
    SWIRL_API void symbol(const char* side, const char* uplo, const char* transa, const char* diag, \
                          const I* m, const I* n, const T* alpha, const T* a, const I* lda, T* b,   \
                          const I* ldb) {                                                           \
        serve(caller_of(name, sizeof(I) == 8),                                                      \
              Trmm<T>{*side, *uplo, *transa, *diag, *m, *n, *alpha, a, *lda, b, *ldb}, run);        \
    }
#define SWIRL_BLAS_BATCH_AS(symbol, name, I, T)                                                              \
    SWIRL_API void symbol(const char* transa, const char* transb, const I* m, const I* n, const I* k,        \
                          const T* alpha, const T* const* a, const I* lda, const T* const* b, const I* ldb,  \
                          const T* beta, T* const* c, const I* ldc, const I* group_count,                    \
                          const I* group_size) {                                                             \
        serve(caller_of(name, sizeof(I) == 8),                                                               \
              GroupedBatch<T, I>{transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, *group_count, \
                                 group_size},                                                                \
              run_groups);                                                                                   \
    }
#define SWIRL_BLAS_STRIDED_AS(symbol, name, I, T)                                                       \
    SWIRL_API void symbol(const char* transa, const char* transb, const I* m, const I* n, const I* k,   \
                          const T* alpha, const T* a, const I* lda, const I* stride_a, const T* b,      \
                          const I* ldb, const I* stride_b, const T* beta, T* c, const I* ldc,           \
                          const I* stride_c, const I* batch_size) {                                     \
        serve(caller_of(name, sizeof(I) == 8),                                                          \
              StridedBatch<T>{{*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc}, \
                              {*stride_a, *stride_b, *stride_c, *batch_size}},                          \
              run_strided);                                                                             \
    }

extern "C" {
#include "blas/routine_names.inc"
}
