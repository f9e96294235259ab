// Linear convolutions of one dimension drawn at random, beside the same written with FFTW: overlap-save in blocks of a power of
// two, or one block for short signals. Prints the ratios of times in the same rounds, and their geometric mean.

#include "base/error.hpp"
#include "bench/support/program.hpp"
#include "bench/support/rounds.hpp"
#include "peers/fftw_library.hpp"
#include "problem/data_type.hpp"

#include <swirl/convolution.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace swirl::bench {
namespace {

using peers::FftwLibrary;

/// What is convolved: the full result.
struct Case {
    Integer signal;
    Integer kernel;
    DataType precision;
    bool is_complex;
};

/// Lengths are log-uniform: signals of 100 to `largest` samples, kernels of 8 samples to the signal's length, at most 2^16.
Case draw(std::mt19937_64& random, Integer largest) {
    const auto log_uniform = [&](double low, double high) {
        return static_cast<Integer>(low *
                                    std::pow(high / low, std::uniform_real_distribution<>(0, 1)(random)));
    };
    const Integer signal = log_uniform(100, static_cast<double>(largest));
    const Integer kernel = log_uniform(8, static_cast<double>(std::min<Integer>(signal, 1 << 16)));
    return {signal, kernel, random() % 2 == 0 ? DataType::float32 : DataType::float64, random() % 4 == 0};
}

Integer power_from(Integer least) {
    Integer power = 1;
    while (power < least) power *= 2;
    return power;
}

/// Of a power of two, with the least n·log n for each result.
Integer block_of(Integer kernel, Integer results) {
    const Integer whole = power_from(results);
    Integer best = whole;
    const auto cost = [&](Integer n) {
        const Integer blocks = n == whole ? 1 : (results + n - kernel) / (n - kernel + 1);
        return static_cast<double>(blocks) * static_cast<double>(n) * (std::log2(static_cast<double>(n)) + 2);
    };
    for (Integer n = power_from(2 * kernel); n < whole; n *= 2)
        if (cost(n) < cost(best)) best = n;
    return best;
}

/// Overlap-save by a transform of one block, the product and the transform back. Plans are measured, as FFTW calls it.
template <class Real> class ByFftw {
public:
    ByFftw(const Case& of, const std::vector<Real>& signal, const std::vector<Real>& kernel,
           std::vector<Real>& results)
        : fftw_(FftwLibrary::get(FftwLibrary::Build::system, of.precision)),
          scalars_(of.is_complex ? 2 : 1),
          n_(block_of(of.kernel, of.signal + of.kernel - 1)),
          m_(of.kernel),
          is_complex_(of.is_complex),
          block_(size(n_ * scalars_)),
          spectrum_(size(n_ + 2)),
          filter_(size(n_ + 2)),
          signal_(signal),
          results_(results) {
        if (const std::string reason = fftw_.absent_because(); !reason.empty())
            throw Unavailable("FFTW: {}", reason);
        const FftwLibrary::Dimension along{n_, 1, 1};
        if (is_complex_) {
            there_ = fftw_.plan_dft(1, &along, 0, nullptr, block_.data(), spectrum_.data(),
                                    FftwLibrary::forward, FftwLibrary::measure);
            back_ = fftw_.plan_dft(1, &along, 0, nullptr, spectrum_.data(), block_.data(),
                                   FftwLibrary::backward, FftwLibrary::measure);
        } else {
            there_ =
                fftw_.plan_r2c(1, &along, 0, nullptr, block_.data(), spectrum_.data(), FftwLibrary::measure);
            back_ =
                fftw_.plan_c2r(1, &along, 0, nullptr, spectrum_.data(), block_.data(), FftwLibrary::measure);
        }
        std::fill(block_.begin(), block_.end(), Real(0));
        std::copy(kernel.begin(), kernel.end(), block_.begin());
        fftw_.execute(there_);
        filter_ = spectrum_;
        for (auto& value : filter_) value /= static_cast<Real>(n_);
    }
    ByFftw(const ByFftw&) = delete;
    ByFftw& operator=(const ByFftw&) = delete;
    ~ByFftw() {
        fftw_.destroy_plan(there_);
        fftw_.destroy_plan(back_);
    }

    void operator()() {
        const Integer all = static_cast<Integer>(results_.size()) / scalars_,
                      samples = static_cast<Integer>(signal_.size()) / scalars_;
        const bool is_whole = n_ >= all;
        const Integer step = is_whole ? all : n_ - m_ + 1, entries = is_complex_ ? n_ : n_ / 2 + 1;
        for (Integer first = 0; first < all; first += step) {
            const Integer from = is_whole ? 0 : first - (m_ - 1), low = std::max<Integer>(from, 0),
                          high = std::min(from + n_, samples);
            Real* const block = block_.data();
            const auto at = [&](Integer k) { return (k - from) * scalars_; };
            std::fill(block, block + at(std::min(low, from + n_)), Real(0));
            if (low < high)
                std::copy(signal_.data() + low * scalars_, signal_.data() + high * scalars_, block + at(low));
            std::fill(block + at(std::max(high, from)), block + n_ * scalars_, Real(0));
            fftw_.execute(there_);
            for (Integer k = 0; k < entries; ++k) multiply(spectrum_[size(k)], filter_[size(k)]);
            fftw_.execute(back_);
            const Integer kept = std::min(step, all - first), skipped = is_whole ? 0 : m_ - 1;
            std::copy(block + skipped * scalars_, block + (skipped + kept) * scalars_,
                      results_.data() + first * scalars_);
        }
    }
    Integer block() const { return n_; }

private:
    static std::size_t size(Integer n) { return static_cast<std::size_t>(n); }
    static void multiply(std::complex<Real>& a, const std::complex<Real>& b) {
        a = {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    }

    const FftwLibrary& fftw_;
    Integer scalars_, n_, m_;
    bool is_complex_;
    std::vector<Real> block_;
    std::vector<std::complex<Real>> spectrum_, filter_;
    const std::vector<Real>& signal_;
    std::vector<Real>& results_;
    FftwLibrary::Plan there_ = nullptr, back_ = nullptr;
};

template <class Real> std::vector<Real> random_values(Integer count, std::mt19937_64& random) {
    std::uniform_real_distribution<Real> uniform(-1, 1);
    std::vector<Real> values(static_cast<std::size_t>(count));
    for (Real& value : values) value = uniform(random);
    return values;
}

/// FFTW's time over swirl's, and their results agree.
template <class Real> double compare(const Case& of, std::mt19937_64& random, const RoundOptions& rounds) {
    const Integer scalars = of.is_complex ? 2 : 1, all = of.signal + of.kernel - 1;
    const auto signal = random_values<Real>(of.signal * scalars, random),
               kernel = random_values<Real>(of.kernel * scalars, random);
    std::vector<Real> results(static_cast<std::size_t>(all * scalars)), by_fftw = results;
    ConvolutionProblem problem;
    problem.signal = {of.signal};
    problem.kernel = {of.kernel};
    problem.precision = of.precision;
    problem.is_complex = of.is_complex;
    Convolution convolution(problem);
    const void* const taps = kernel.data();
    convolution.set_kernel(taps);
    ByFftw<Real> fftw(of, signal, kernel, by_fftw);
    const void* const from = signal.data();
    void* const to = results.data();
    const runtime::TimedWork work[] = {{.run = [&] { convolution.execute(from, to); }, .restore = {}},
                                       {.run = [&] { fftw(); }, .restore = {}}};
    const Samples samples = run_rounds(work, rounds);
    double difference = 0, norm = 0;
    for (std::size_t k = 0; k < results.size(); ++k) {
        difference += std::pow(results[k] - by_fftw[k], 2);
        norm += std::pow(by_fftw[k], 2);
    }
    if (!(std::sqrt(difference / norm) < 100 * std::numeric_limits<Real>::epsilon()))
        throw InternalError("results differ by {} of {}", std::sqrt(difference / norm),
                            convolution.description());
    std::vector<double> ratios;
    for (std::size_t k = 0; k < samples[0].size(); ++k) ratios.push_back(samples[1][k] / samples[0][k]);
    const double ratio = median_of(std::move(ratios));
    fmt::print("{:>9} * {:<6} {}{:8}  swirl {:10.2f} us ({}), fftw {:10.2f} us ({})  {:.2f}\n", of.signal,
               of.kernel, of.is_complex ? "complex " : "", name_of(of.precision),
               1e6 * *std::min_element(samples[0].begin(), samples[0].end()),
               convolution.transform_lengths()[0],
               1e6 * *std::min_element(samples[1].begin(), samples[1].end()), fftw.block(), ratio);
    return ratio;
}

struct Options {
    int draws = 40;
    std::uint64_t seed = 1;
    Integer largest = 1'000'000;
    RoundOptions rounds{.rounds = 15, .seconds = 0.5};
};

int run(const Options& options) {
    std::mt19937_64 random(options.seed);
    double logarithms = 0;
    int slower = 0;
    for (int k = 0; k < options.draws; ++k) {
        const Case of = draw(random, options.largest);
        const double ratio = of.precision == DataType::float32 ? compare<float>(of, random, options.rounds)
                                                               : compare<double>(of, random, options.rounds);
        logarithms += std::log(ratio);
        slower += ratio < 1;
    }
    fmt::print("FFTW's time over swirl's: {:.2f} in the geometric mean of {}, below 1 for {}\n",
               std::exp(logarithms / options.draws), options.draws, slower);
    return 0;
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    Options options;
    const auto add_options = [&](CLI::App& program) {
        program.add_option("--draws", options.draws, "Problems")->capture_default_str();
        program.add_option("--seed", options.seed, "Of the draw")->capture_default_str();
        program.add_option("--largest", options.largest, "Most samples of a signal")->capture_default_str();
        program.add_option("--seconds", options.rounds.seconds, "For each problem")->capture_default_str();
    };
    return main_of(
        {.description = "Times linear convolutions drawn at random beside the same written with FFTW.",
         .add_options = add_options,
         .run = [&](const std::string&) { return run(options); }},
        count, values);
}
