// Level 3 routines of a given BLAS library: the rate of each routine, and its fraction of the rate of dgemm in the same
// rounds. With a baseline, another library's times over the first one's.

#include "base/error.hpp"
#include "bench/support/given_library.hpp"
#include "bench/support/program.hpp"
#include "bench/support/rounds.hpp"
#include "cli/geometric_mean.hpp"
#include "runtime/cpu/affinity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace swirl::bench {
namespace {

using Complex = std::complex<double>;

struct Options {
    std::string library;
    std::string baseline;
    std::vector<int> sizes = {1000, 2000};
    int rounds = 7;
    int core = -1;
    JsonLines json;
};

template <class... Arguments> auto routine(const GivenLibrary& library, const char* name) {
    return library.symbol<void(Arguments...)>(name);
}

/// Square matrices for all routines. `triangle` is close to the identity, so that repeated application leaves its
/// operand bounded.
struct Matrices {
    std::vector<double> a, b, c, triangle;
    std::vector<float> narrow, narrow_triangle;
    std::vector<Complex> x, y, z, complex_triangle;
    explicit Matrices(int n) {
        const auto elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> uniform(-1, 1);
        for (auto* matrix : {&a, &b, &c, &triangle})
            for (std::size_t i = 0; i < elements; ++i) matrix->push_back(uniform(random));
        for (double& entry : triangle) entry *= 1e-6;
        for (std::size_t i = 0; i < elements; i += static_cast<std::size_t>(n) + 1) triangle[i] = 1;
        narrow.assign(c.begin(), c.end());
        narrow_triangle.assign(triangle.begin(), triangle.end());
        complex_triangle.assign(triangle.begin(), triangle.end());
        for (auto* matrix : {&x, &y, &z})
            for (std::size_t i = 0; i < elements; ++i) matrix->push_back({uniform(random), uniform(random)});
    }
};

struct Implementation {
    std::string name;
    double flops;
    std::function<void()> run;
};

std::vector<Implementation> implementations(const GivenLibrary& library, Matrices& m, const int& n) {
    using D = const double*;
    using Z = const Complex*;
    using S = const char*;
    using I = const int*;
    using F = const float*;
    static constexpr double one = 1, zero = 0, minus_one = -1;
    static constexpr float s_one = 1;
    static constexpr Complex z_one = 1, z_zero = 0;
    const auto dgemm = routine<S, S, I, I, I, D, D, I, D, I, D, double*, I>(library, "dgemm_");
    const auto zgemm = routine<S, S, I, I, I, Z, Z, I, Z, I, Z, Complex*, I>(library, "zgemm_");
    const auto dsymm = routine<S, S, I, I, D, D, I, D, I, D, double*, I>(library, "dsymm_");
    const auto dsyrk = routine<S, S, I, I, D, D, I, D, double*, I>(library, "dsyrk_");
    const auto dsyr2k = routine<S, S, I, I, D, D, I, D, I, D, double*, I>(library, "dsyr2k_");
    const auto dtrmm = routine<S, S, S, S, I, I, D, D, I, double*, I>(library, "dtrmm_");
    const auto dtrsm = routine<S, S, S, S, I, I, D, D, I, double*, I>(library, "dtrsm_");
    const auto strsm = routine<S, S, S, S, I, I, F, F, I, float*, I>(library, "strsm_");
    const auto ztrmm = routine<S, S, S, S, I, I, Z, Z, I, Complex*, I>(library, "ztrmm_");
    const auto ztrsm = routine<S, S, S, S, I, I, Z, Z, I, Complex*, I>(library, "ztrsm_");
    const auto zhemm = routine<S, S, I, I, Z, Z, I, Z, I, Z, Complex*, I>(library, "zhemm_");
    const auto zherk = routine<S, S, I, I, D, Z, I, D, Complex*, I>(library, "zherk_");
    const double square = static_cast<double>(n) * n, cube = square * n;
    float *s = m.narrow.data(), *u = m.narrow_triangle.data();
    Complex* v = m.complex_triangle.data();
    double *a = m.a.data(), *b = m.b.data(), *c = m.c.data(), *t = m.triangle.data();
    Complex *x = m.x.data(), *y = m.y.data(), *z = m.z.data();
    const auto triangular = [&n, t, c](auto call, S side, S uplo, S transpose) {
        return [=, &n] { call(side, uplo, transpose, "N", &n, &n, &one, t, &n, c, &n); };
    };
    return {
        {"dgemm", 2 * cube, [=, &n] { dgemm("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n); }},
        {"zgemm", 8 * cube, [=, &n] { zgemm("N", "N", &n, &n, &n, &z_one, x, &n, y, &n, &z_zero, z, &n); }},
        {"dsymm LL", 2 * cube, [=, &n] { dsymm("L", "L", &n, &n, &one, a, &n, b, &n, &zero, c, &n); }},
        {"dsymm RU", 2 * cube, [=, &n] { dsymm("R", "U", &n, &n, &one, a, &n, b, &n, &zero, c, &n); }},
        {"dsyrk LN", cube, [=, &n] { dsyrk("L", "N", &n, &n, &one, a, &n, &zero, c, &n); }},
        {"dsyrk UT", cube, [=, &n] { dsyrk("U", "T", &n, &n, &one, a, &n, &zero, c, &n); }},
        {"dsyr2k LN", 2 * cube, [=, &n] { dsyr2k("L", "N", &n, &n, &one, a, &n, b, &n, &zero, c, &n); }},
        {"dtrmm LLN", cube, triangular(dtrmm, "L", "L", "N")},
        {"dtrmm RUN", cube, triangular(dtrmm, "R", "U", "N")},
        {"dtrsm LLN", cube, triangular(dtrsm, "L", "L", "N")},
        {"dtrsm LUT", cube, triangular(dtrsm, "L", "U", "T")},
        {"dtrsm RUN", cube, triangular(dtrsm, "R", "U", "N")},
        {"strsm LLN", cube, [=, &n] { strsm("L", "L", "N", "N", &n, &n, &s_one, u, &n, s, &n); }},
        {"ztrmm LLN", 4 * cube, [=, &n] { ztrmm("L", "L", "N", "N", &n, &n, &z_one, v, &n, z, &n); }},
        {"ztrsm LUC", 4 * cube, [=, &n] { ztrsm("L", "U", "C", "N", &n, &n, &z_one, v, &n, z, &n); }},
        {"zhemm LL", 8 * cube, [=, &n] { zhemm("L", "L", &n, &n, &z_one, x, &n, y, &n, &z_zero, z, &n); }},
        {"zherk LN", 4 * cube, [=, &n] { zherk("L", "N", &n, &n, &one, x, &n, &zero, z, &n); }},
        {"β·C", square, [=, &n] { dgemm("N", "N", &n, &n, &n, &zero, a, &n, b, &n, &minus_one, c, &n); }},
        {"β·C, L", square / 2, [=, &n] { dsyrk("L", "N", &n, &n, &zero, a, &n, &minus_one, c, &n); }},
    };
}

/// First calls compile kernels, some later ones those of frequent small products.
void warm_up(const Implementation& implementation) {
    constexpr double seconds = 10e-3;
    const double start = runtime::monotonic_seconds();
    do implementation.run();
    while (runtime::monotonic_seconds() - start < seconds);
}

Samples times_of(const std::vector<Implementation>& all, const Options& options) {
    std::vector<runtime::TimedWork> works;
    for (const Implementation& each : all) {
        warm_up(each);
        warm_up(each); // without compilation
        works.push_back({.run = each.run, .restore = {}, .restore_every = 0});
    }
    return run_rounds(works, {.rounds = options.rounds,
                              .seconds = std::numeric_limits<double>::infinity(),
                              .batch = 1e-4,
                              .on_one_thread = options.core >= 0});
}

void compare(const GivenLibrary& library, int n, Options& options) {
    Matrices matrices(n);
    const std::vector<Implementation> all = implementations(library, matrices, n);
    Samples samples = times_of(all, options);
    fmt::print("{:>5}  {:<10} {:>9} {:>9}   of dgemm's\n", "n", "", "best", "median");
    double gemm[2] = {};
    for (std::size_t k = 0; k < all.size(); ++k) {
        const std::vector<double>& seconds = samples[k];
        const double rates[] = {all[k].flops / *std::min_element(seconds.begin(), seconds.end()) / 1e9,
                                all[k].flops / median_of(seconds) / 1e9};
        if (k == 0) std::copy_n(rates, 2, gemm);
        fmt::print("{:>5}  {:<10} {:>9.1f} {:>9.1f}   {:.3f} {:.3f}\n", n, all[k].name, rates[0], rates[1],
                   rates[0] / gemm[0], rates[1] / gemm[1]);
        options.json.write({{"n", n}, {"routine", all[k].name}, {"best", rates[0]}, {"median", rates[1]}});
    }
}

/// The baseline's times over the library's, routine by routine in alternation; adds their medians.
void compare_with_baseline(const GivenLibrary& library, const GivenLibrary& baseline, int n, Options& options,
                           std::vector<double>& medians) {
    Matrices matrices(n);
    const std::vector<Implementation> ours = implementations(library, matrices, n);
    const std::vector<Implementation> theirs = implementations(baseline, matrices, n);
    std::vector<Implementation> all;
    for (std::size_t k = 0; k < ours.size(); ++k) {
        all.push_back(ours[k]);
        all.push_back(theirs[k]);
    }
    const Samples samples = times_of(all, options);
    fmt::print("{:>5}  {:<10} {:>9}   baseline's time / library's: best, median\n", "n", "", "best");
    for (std::size_t k = 0; k < ours.size(); ++k) {
        const std::vector<double>&of_ours = samples[2 * k], &of_theirs = samples[2 * k + 1];
        std::vector<double> ratios;
        for (std::size_t round = 0; round < of_ours.size(); ++round)
            ratios.push_back(of_theirs[round] / of_ours[round]);
        const double least = *std::min_element(of_ours.begin(), of_ours.end());
        const double best = *std::min_element(of_theirs.begin(), of_theirs.end()) / least;
        const double median = median_of(ratios);
        medians.push_back(median);
        fmt::print("{:>5}  {:<10} {:>9.1f}   {:.3f} {:.3f}\n", n, ours[k].name, ours[k].flops / least / 1e9,
                   best, median);
        options.json.write({{"n", n}, {"routine", ours[k].name}, {"best_ratio", best}, {"ratio", median}});
    }
}

void add_options(CLI::App& program, Options& options) {
    program
        .add_option("library", options.library, "File of the library, such as build/release/libswirl_blas.so")
        ->required();
    program.add_option("--baseline", options.baseline, "Print this library's times over those of the first");
    program.add_option("--sizes", options.sizes, "Rows and columns of the matrices")->delimiter(',');
    program.add_option("--rounds", options.rounds, "How often each routine is timed")
        ->check(CLI::PositiveNumber);
    program.add_option("--core", options.core,
                       "Stay on this processor; with one thread (SWIRL_NUM_THREADS=1) alone");
    options.json.add_to(program);
}

int run(Options& options) {
    const GivenLibrary library(options.library);
    std::optional<runtime::PinnedThread> pinned;
    if (options.core >= 0) pinned.emplace(options.core);
    if (options.baseline.empty()) {
        for (const int n : options.sizes) compare(library, n, options);
        return 0;
    }
    const GivenLibrary baseline(options.baseline);
    std::vector<double> medians;
    for (const int n : options.sizes) compare_with_baseline(library, baseline, n, options, medians);
    fmt::print("geometric mean of {} medians: {:.3f}\n", medians.size(), cli::geometric_mean(medians));
    return 0;
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    Options options;
    return main_of({.description = "Rates of level 3 of a BLAS, in 10^9 floating-point operations a second",
                    .add_options = [&](CLI::App& program) { add_options(program, options); },
                    .run = [&](const std::string&) { return run(options); }},
                   count, values);
}
