#include "peers/blas_functions.hpp"

#include <string>

namespace swirl::peers {
namespace {

// The Fortran interface of the BLAS, all arguments by reference; the lengths of the letters, which Fortran compilers append,
// are read by no implementation.
using Letter = const char*;
using Size = const int*;
using Scalar = const void*;
using Matrix = const void*;
using Gemm = void(Letter, Letter, Size, Size, Size, Scalar, Matrix, Size, Matrix, Size, Scalar, void*, Size);

/// One and zero of a number's kind, the real part first.
struct Factors {
    explicit Factors(DataType data_type)
        : is_float(data_type == DataType::float32 || data_type == DataType::complex64) {}
    Scalar one() const { return is_float ? static_cast<Scalar>(floats) : doubles; }
    Scalar zero() const { return is_float ? static_cast<Scalar>(floats + 1) : doubles + 1; }

    static constexpr float floats[] = {1, 0, 0};
    static constexpr double doubles[] = {1, 0, 0};
    bool is_float;
};

struct Sizes {
    int m, n, k, lda, ldb;
};

Sizes sizes_of(const MatrixCall& call) {
    return {static_cast<int>(call.rows), static_cast<int>(call.columns), static_cast<int>(call.k),
            static_cast<int>(call.leading_a()), static_cast<int>(call.leading_b())};
}

MatrixRun gemm(Gemm* function, const MatrixCall& call) {
    return repeated([=, s = sizes_of(call), f = Factors(call.data_type), ta = call.transposed_a ? 'T' : 'N',
                     tb = call.transposed_b ? 'T' : 'N'](const MatrixOperands& o) {
        function(&ta, &tb, &s.m, &s.n, &s.k, f.one(), o.a, &s.lda, o.b, &s.ldb, f.zero(), o.c, &s.m);
    });
}

} // namespace

MatrixRun blas_run(const SharedLibrary& library, const MatrixCall& call) {
    Gemm* function = nullptr;
    if (call.widens() || !library.load(function, std::string(1, letter(call.data_type)) + "gemm_")) return {};
    return gemm(function, call);
}

} // namespace swirl::peers
