#pragma once

#include "blas/report.hpp"
#include "blas/routines.hpp"
#include "blas/threads.hpp"

#include <cstdint>

/// Handles a call from either interface: checks its arguments, then runs the routine.
namespace swirl::blas {

template <class Arguments, class Routine>
void serve(const Caller& caller, const Arguments& arguments, Routine&& routine, bool row_major = false) {
    if (const int position = arguments.first_wrong(); position != 0)
        return report_argument(caller, position, row_major);
    try {
        routine(arguments, threads());
    } catch (const std::exception& reason) {
        give_up(caller, reason);
    }
}

/// The routines as function objects.
constexpr auto run_gemm = [](const auto& call, int threads) { gemm(call, threads); };
constexpr auto run_gemmt = [](const auto& call, int threads) { gemmt(call, threads); };
constexpr auto run_symm = [](const auto& call, int threads) { symm(call, false, threads); };
constexpr auto run_hemm = [](const auto& call, int threads) { symm(call, true, threads); };
constexpr auto run_syrk = [](const auto& call, int threads) { syrk(call, threads); };
constexpr auto run_syr2k = [](const auto& call, int threads) { syr2k(call, threads); };
constexpr auto run_trmm = [](const auto& call, int threads) {
    triangular(TriangularTask::multiply, call, threads);
};
constexpr auto run_trsm = [](const auto& call, int threads) {
    triangular(TriangularTask::solve, call, threads);
};

/// A strided batch of products of one shape, with the argument positions of these routines.
template <class T> struct StridedBatch {
    Gemm<T> call;
    BatchStrides strides;

    int first_wrong() const {
        switch (const int position = call.first_wrong()) {
        case 10: return 11;
        case 13: return 15;
        default: return position != 0 ? position : strides.count < 0 ? 17 : 0;
        }
    }
};
constexpr auto run_strided = [](const auto& batch, int threads) {
    gemm_batch(batch.call, batch.strides, threads);
};

} // namespace swirl::blas

// C names need macros. DEFINE(name, T) for the data types in a routine's prefix:
#define SWIRL_BLAS_REAL(DEFINE, routine) DEFINE(s##routine, float) DEFINE(d##routine, double)
#define SWIRL_BLAS_COMPLEX(DEFINE, routine) \
    DEFINE(c##routine, std::complex<float>) DEFINE(z##routine, std::complex<double>)
#define SWIRL_BLAS_ALL(DEFINE, routine) SWIRL_BLAS_REAL(DEFINE, routine) SWIRL_BLAS_COMPLEX(DEFINE, routine)
