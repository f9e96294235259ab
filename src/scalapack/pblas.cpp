// p?gemm of the PBLAS, in Fortran's convention. What is invalid goes to the next library's function, which reports it.

#include <swirl/export.h>

#include "scalapack/gemm.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cctype>
#include <complex>
#include <cstdio>
#include <exception>
#include <optional>

namespace swirl::scalapack {
namespace {

std::optional<Operation> operation_of(char letter) {
    switch (std::toupper(static_cast<unsigned char>(letter))) {
    case 'N': return Operation::none;
    case 'T': return Operation::transpose;
    case 'C': return Operation::conjugate_transpose;
    default: return std::nullopt;
    }
}

using Function = void (*)(const char*, const char*, const int*, const int*, const int*, const void*,
                          const void*, const int*, const int*, const int*, const void*, const int*,
                          const int*, const int*, const void*, void*, const int*, const int*, const int*);

template <class Element>
void run(const char* name, DataType type, const char* transa, const char* transb, const int* m, const int* n,
         const int* k, const Element* alpha, const void* a, const int* ia, const int* ja, const int* desca,
         const void* b, const int* ib, const int* jb, const int* descb, const Element* beta, void* c,
         const int* ic, const int* jc, const int* descc) {
    const auto operation_a = operation_of(*transa), operation_b = operation_of(*transb);
    const GemmCall call{type,
                        operation_a.value_or(Operation::none),
                        operation_b.value_or(Operation::none),
                        *m,
                        *n,
                        *k,
                        *alpha,
                        *beta,
                        {const_cast<void*>(a), *ia, *ja, desca},
                        {const_cast<void*>(b), *ib, *jb, descb},
                        {c, *ic, *jc, descc}};
    if (!operation_a || !operation_b || !is_valid(call)) {
        const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
        if (next != nullptr)
            return next(transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc,
                        descc);
        std::fprintf(stderr, "swirl: %s: invalid arguments\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    try {
        gemm(call);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "swirl: %s: %s\n", name, error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

} // namespace
} // namespace swirl::scalapack

#define SWIRL_PGEMM(name, Element, type)                                                               \
    extern "C" SWIRL_API void name(const char* transa, const char* transb, const int* m, const int* n, \
                                   const int* k, const Element* alpha, const void* a, const int* ia,   \
                                   const int* ja, const int* desca, const void* b, const int* ib,      \
                                   const int* jb, const int* descb, const Element* beta, void* c,      \
                                   const int* ic, const int* jc, const int* descc) {                   \
        swirl::scalapack::run(#name, swirl::DataType::type, transa, transb, m, n, k, alpha, a, ia, ja, \
                              desca, b, ib, jb, descb, beta, c, ic, jc, descc);                        \
    }
SWIRL_PGEMM(psgemm_, float, float32)
SWIRL_PGEMM(pdgemm_, double, float64)
SWIRL_PGEMM(pcgemm_, std::complex<float>, complex64)
SWIRL_PGEMM(pzgemm_, std::complex<double>, complex128)
#undef SWIRL_PGEMM
