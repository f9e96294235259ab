// Portable probe kernels, as plain loops, for hosts where generated code cannot run.

#include "search/cost/probe/kernels.hpp"

#include <cstring>

namespace swirl::search {
namespace {

constexpr int chains = 8;
constexpr int lanes = 4;
constexpr int portable_fmas = 48;
constexpr int granule = 32;

template <class Real, int count> void arithmetic(void* const* buffers, const std::int64_t* parameters) {
    Real* const data = static_cast<Real*>(buffers[0]);
    Real x[count];
    std::memcpy(x, data, sizeof x);
    const Real half = Real(0.5);
    for (std::int64_t i = 0; i < parameters[0]; ++i)
        for (int k = 0; k < portable_fmas; ++k)
            for (Real& each : x) each = each * half + half;
    std::memcpy(data, x, sizeof x);
}

void read(void* const* buffers, const std::int64_t* parameters) {
    const double* const from = static_cast<const double*>(buffers[0]);
    double* const sums = static_cast<double*>(buffers[1]);
    double local[granule] = {};
    for (std::int64_t repetition = 0; repetition < parameters[1]; ++repetition)
        for (std::int64_t i = 0; i < parameters[0]; i += granule)
            for (int k = 0; k < granule; ++k) local[k] += from[i + k];
    for (int k = 0; k < granule; ++k) sums[k] += local[k];
}

/// Compiler barrier: keeps accesses before and after it separate, so that every repetition really writes.
inline void keep(void* memory) {
#if defined(__GNUC__)
    asm volatile("" : : "r"(memory) : "memory");
#else
    static void* volatile sink = nullptr;
    sink = memory;
#endif
}

void write(void* const* buffers, const std::int64_t* parameters) {
    double* const to = static_cast<double*>(buffers[0]);
    for (std::int64_t repetition = 0; repetition < parameters[1]; ++repetition) {
        for (std::int64_t i = 0; i < parameters[0]; ++i) to[i] = 1;
        keep(to);
    }
}

void copy(void* const* buffers, const std::int64_t* parameters) {
    const double* const from = static_cast<const double*>(buffers[0]);
    double* const to = static_cast<double*>(buffers[1]);
    for (std::int64_t repetition = 0; repetition < parameters[1]; ++repetition) {
        std::memcpy(to, from, static_cast<std::size_t>(parameters[0]) * sizeof(double));
        keep(to);
    }
}

} // namespace

ProbeKernels portable_probe_kernels() {
    ProbeKernels kernels;
    constexpr int all = chains * lanes;
    kernels.float32 = {arithmetic<float, all>, all, 2.0 * portable_fmas * all, portable_fmas};
    kernels.float64 = {arithmetic<double, all>, all, 2.0 * portable_fmas * all, portable_fmas};
    kernels.chain_float32 = {arithmetic<float, 1>, 1, 2.0 * portable_fmas, portable_fmas};
    kernels.chain_float64 = {arithmetic<double, 1>, 1, 2.0 * portable_fmas, portable_fmas};
    kernels.read = read;
    kernels.write = write;
    kernels.copy = copy;
    kernels.granule = granule;
    kernels.made_of = "portable C++";
    return kernels;
}

} // namespace swirl::search
