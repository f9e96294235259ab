// Speed of complex transforms by size, beside FFTW where it is present. Asserts nothing; `swirl bench` compares more
// carefully.

#include <swirl/swirl.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <vector>

#ifdef SWIRL_HAVE_FFTW
#include <fftw3.h>
#endif

namespace {

using Complex = std::complex<double>;

std::vector<Complex> random_signal(std::size_t n) {
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<Complex> signal(n);
    for (Complex& value : signal) value = {uniform(generator), uniform(generator)};
    return signal;
}

/// 5 n log₂ n operations a transform, whatever it really does.
void count_operations(benchmark::State& state) {
    const auto n = static_cast<double>(state.range(0));
    state.counters["pseudo_flops"] =
        benchmark::Counter(5 * n * std::log2(n), benchmark::Counter::kIsIterationInvariantRate);
}

void swirl_estimate(benchmark::State& state) {
    const auto n = static_cast<std::size_t>(state.range(0));
    const std::vector<Complex> input = random_signal(n);
    std::vector<Complex> output(n);
    const swirl::Plan plan = swirl::plan("dft " + std::to_string(n));
    for ([[maybe_unused]] auto step : state) {
        plan.execute(input.data(), output.data());
        benchmark::ClobberMemory();
    }
    count_operations(state);
}

/// First plan and code, check included.
void swirl_planning(benchmark::State& state) {
    const std::string problem = "dft " + std::to_string(state.range(0));
    for ([[maybe_unused]] auto step : state) {
        const swirl::Plan plan = swirl::plan(problem, {.use_wisdom = false});
        benchmark::DoNotOptimize(plan.workspace_bytes());
    }
}

void sizes(benchmark::internal::Benchmark* benchmark) {
    for (int n = 64; n <= 65536; n *= 2) benchmark->Arg(n);
    for (const int n : {60, 1000, 1009, 1155, 4093, 10000}) benchmark->Arg(n);
}

#ifdef SWIRL_HAVE_FFTW

void fftw(benchmark::State& state, unsigned flags) {
    const auto n = static_cast<std::size_t>(state.range(0));
    std::vector<Complex> input(n), output(n);
    const fftw_plan plan =
        fftw_plan_dft_1d(static_cast<int>(n), reinterpret_cast<fftw_complex*>(input.data()),
                         reinterpret_cast<fftw_complex*>(output.data()), FFTW_FORWARD, flags);
    const std::vector<Complex> signal = random_signal(n); // planning has written over the arrays
    std::copy(signal.begin(), signal.end(), input.begin());
    for ([[maybe_unused]] auto step : state) {
        fftw_execute(plan);
        benchmark::ClobberMemory();
    }
    fftw_destroy_plan(plan);
    count_operations(state);
}

void fftw_estimate(benchmark::State& state) { fftw(state, FFTW_ESTIMATE); }
void fftw_measure(benchmark::State& state) { fftw(state, FFTW_MEASURE); }

BENCHMARK(fftw_estimate)->Apply(sizes);
BENCHMARK(fftw_measure)->Apply(sizes);

#endif

BENCHMARK(swirl_estimate)->Apply(sizes);
BENCHMARK(swirl_planning)->Arg(64)->Arg(1024)->Arg(4096)->Arg(65536);

} // namespace
