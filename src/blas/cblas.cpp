/// CBLAS interface: layout first, enumerators instead of letters, real scalars by value, complex data through void
/// pointers. _64 suffix with 64-bit integers.
#include <swirl/export.h>

#include "blas/enumerators.hpp"
#include "blas/row_major.hpp"

using namespace swirl::blas;

namespace {

template <class T> using Scalar = std::conditional_t<is_complex_type<T>, const void*, T>;
template <class T> using In = std::conditional_t<is_complex_type<T>, const void, const T>;
template <class T> using Out = std::conditional_t<is_complex_type<T>, void, T>;

template <class T> const T* in(const In<T>* data) { return static_cast<const T*>(data); }
template <class T> T* out(Out<T>* data) { return static_cast<T*>(data); }
template <class T> T value(Scalar<T> scalar) {
    if constexpr (is_complex_type<T>)
        return *static_cast<const T*>(scalar);
    else
        return scalar;
}

constexpr Caller caller_of(const char* routine, bool wide) {
    return {routine, Caller::Interface::cblas, wide};
}
using Lp64 = std::int32_t;
using Ilp64 = std::int64_t;

/// After the letters of a call have been read: rejects the call, or runs it as column-major.
template <class Arguments, class Routine>
void serve_read(const Caller& caller, const EnumeratorReader& reader, const Arguments& call,
                Routine routine) {
    if (reader.refused()) return;
    serve(caller, reader.row_major() ? transposed(call) : call, routine, reader.row_major());
}

} // namespace

// NAME(…, T, …) for both integer types. Arguments of the macros below: symbol, name in errors, integer type, data type.
#define SWIRL_BLAS_BOTH(NAME, name, ...)         \
    NAME(cblas_##name, #name, Lp64, __VA_ARGS__) \
    NAME(cblas_##name##_64, #name, Ilp64, __VA_ARGS__)

#define SWIRL_BLAS_GEMM_AS(symbol, name, I, T)                                                              \
    SWIRL_API void symbol(int layout, int transa, int transb, I m, I n, I k, Scalar<T> alpha,               \
                          const In<T>* a, I lda, const In<T>* b, I ldb, Scalar<T> beta, Out<T>* c, I ldc) { \
        constexpr Caller caller = caller_of(name, sizeof(I) == 8);                                          \
        EnumeratorReader reader(caller, layout);                                                            \
        const char ta = reader.transpose(2, transa, "TransA"), tb = reader.transpose(3, transb, "TransB");  \
        serve_read(caller, reader,                                                                          \
                   Gemm<T>{ta, tb, m, n, k, value<T>(alpha), in<T>(a), lda, in<T>(b), ldb, value<T>(beta),  \
                           out<T>(c), ldc},                                                                 \
                   run_gemm);                                                                               \
    }
#define SWIRL_BLAS_GEMMT_AS(symbol, name, I, T)                                                              \
    SWIRL_API void symbol(int layout, int uplo, int transa, int transb, I n, I k, Scalar<T> alpha,           \
                          const In<T>* a, I lda, const In<T>* b, I ldb, Scalar<T> beta, Out<T>* c, I ldc) {  \
        constexpr Caller caller = caller_of(name, sizeof(I) == 8);                                           \
        EnumeratorReader reader(caller, layout);                                                             \
        const char ul = reader.uplo(2, uplo), ta = reader.transpose(3, transa, "TransA"),                    \
                   tb = reader.transpose(4, transb, "TransB");                                               \
        serve_read(caller, reader,                                                                           \
                   Gemmt<T>{ul, ta, tb, n, k, value<T>(alpha), in<T>(a), lda, in<T>(b), ldb, value<T>(beta), \
                            out<T>(c), ldc},                                                                 \
                   run_gemmt);                                                                               \
    }
#define SWIRL_BLAS_SYMM_AS(symbol, name, I, T, run)                                                         \
    SWIRL_API void symbol(int layout, int side, int uplo, I m, I n, Scalar<T> alpha, const In<T>* a, I lda, \
                          const In<T>* b, I ldb, Scalar<T> beta, Out<T>* c, I ldc) {                        \
        constexpr Caller caller = caller_of(name, sizeof(I) == 8);                                          \
        EnumeratorReader reader(caller, layout);                                                            \
        const char sd = reader.side(2, side), ul = reader.uplo(3, uplo);                                    \
        serve_read(caller, reader,                                                                          \
                   Symm<T>{sd, ul, m, n, value<T>(alpha), in<T>(a), lda, in<T>(b), ldb, value<T>(beta),     \
                           out<T>(c), ldc},                                                                 \
                   run);                                                                                    \
    }
#define SWIRL_BLAS_SYRK_AS(symbol, name, I, T, S)                                                            \
    SWIRL_API void symbol(int layout, int uplo, int trans, I n, I k, Scalar<S> alpha, const In<T>* a, I lda, \
                          Scalar<S> beta, Out<T>* c, I ldc) {                                                \
        constexpr Caller caller = caller_of(name, sizeof(I) == 8);                                           \
        EnumeratorReader reader(caller, layout);                                                             \
        const char ul = reader.uplo(2, uplo), tr = reader.transpose(3, trans);                               \
        serve_read(caller, reader,                                                                           \
                   Syrk<T, S>{ul, tr, n, k, value<S>(alpha), in<T>(a), lda, value<S>(beta), out<T>(c), ldc}, \
                   run_syrk);                                                                                \
    }
#define SWIRL_BLAS_SYR2K_AS(symbol, name, I, T, S)                                                           \
    SWIRL_API void symbol(int layout, int uplo, int trans, I n, I k, Scalar<T> alpha, const In<T>* a, I lda, \
                          const In<T>* b, I ldb, Scalar<S> beta, Out<T>* c, I ldc) {                         \
        constexpr Caller caller = caller_of(name, sizeof(I) == 8);                                           \
        EnumeratorReader reader(caller, layout);                                                             \
        const char ul = reader.uplo(2, uplo), tr = reader.transpose(3, trans);                               \
        serve_read(caller, reader,                                                                           \
                   Syr2k<T, S>{ul, tr, n, k, value<T>(alpha), in<T>(a), lda, in<T>(b), ldb, value<S>(beta),  \
                               out<T>(c), ldc},                                                              \
                   run_syr2k);                                                                               \
    }
#define SWIRL_BLAS_TRMM_AS(symbol, name, I, T, run)                                                        \
    SWIRL_API void symbol(int layout, int side, int uplo, int transa, int diag, I m, I n, Scalar<T> alpha, \
                          const In<T>* a, I lda, Out<T>* b, I ldb) {                                       \
        constexpr Caller caller = caller_of(name, sizeof(I) == 8);                                         \
        EnumeratorReader reader(caller, layout);                                                           \
        const char sd = reader.side(2, side), ul = reader.uplo(3, uplo), tr = reader.transpose(4, transa), \
                   dg = reader.diagonal(5, diag);                                                          \
        serve_read(caller, reader,                                                                         \
                   Trmm<T>{sd, ul, tr, dg, m, n, value<T>(alpha), in<T>(a), lda, out<T>(b), ldb}, run);    \
    }
#define SWIRL_BLAS_BATCH_AS(symbol, name, I, T)                                                      \
    SWIRL_API void symbol(int layout, const int* transa, const int* transb, const I* m, const I* n,  \
                          const I* k, const In<T>* alpha, const In<T>* const* a, const I* lda,       \
                          const In<T>* const* b, const I* ldb, const In<T>* beta, Out<T>* const* c,  \
                          const I* ldc, I group_count, const I* group_size) {                        \
        constexpr Caller caller = caller_of(name, sizeof(I) == 8);                                   \
        EnumeratorReader reader(caller, layout);                                                     \
        const auto ta = reader.all_transposes(2, transa, group_count, "TransA");                     \
        const auto tb = reader.all_transposes(3, transb, group_count, "TransB");                     \
        serve_read(caller, reader,                                                                   \
                   GroupedBatch<T, I>{ta.data(), tb.data(), m, n, k, in<T>(alpha),                   \
                                      reinterpret_cast<const T* const*>(a), lda,                     \
                                      reinterpret_cast<const T* const*>(b), ldb, in<T>(beta),        \
                                      reinterpret_cast<T* const*>(c), ldc, group_count, group_size}, \
                   run_groups);                                                                      \
    }
#define SWIRL_BLAS_STRIDED_AS(symbol, name, I, T)                                                          \
    SWIRL_API void symbol(int layout, int transa, int transb, I m, I n, I k, Scalar<T> alpha,              \
                          const In<T>* a, I lda, I stride_a, const In<T>* b, I ldb, I stride_b,            \
                          Scalar<T> beta, Out<T>* c, I ldc, I stride_c, I batch_size) {                    \
        constexpr Caller caller = caller_of(name, sizeof(I) == 8);                                         \
        EnumeratorReader reader(caller, layout);                                                           \
        const char ta = reader.transpose(2, transa, "TransA"), tb = reader.transpose(3, transb, "TransB"); \
        serve_read(caller, reader,                                                                         \
                   StridedBatch<T>{{ta, tb, m, n, k, value<T>(alpha), in<T>(a), lda, in<T>(b), ldb,        \
                                    value<T>(beta), out<T>(c), ldc},                                       \
                                   {stride_a, stride_b, stride_c, batch_size}},                            \
                   run_strided);                                                                           \
    }

extern "C" {
#include "blas/routine_names.inc"
}
