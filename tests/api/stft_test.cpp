#include <swirl/stft.hpp>

#include <swirl/swirl.hpp>

#include "api/mel_matrix.hpp"
#include "api/stft_matrices.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace swirl {
namespace stft_test {

using Wide = std::complex<long double>;

template <class T> struct Component { using type = T; };
template <class T> struct Component<std::complex<T>> { using type = T; };
template <class T> constexpr bool is_complex_sample = !std::is_same_v<T, typename Component<T>::type>;

template <class T> std::vector<T> random_samples(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    using Real = typename Component<T>::type;
    std::vector<T> samples(count);
    for (T& sample : samples) {
        const auto re = static_cast<Real>(uniform(generator));
        if constexpr (is_complex_sample<T>)
            sample = {re, static_cast<Real>(uniform(generator))};
        else
            sample = re;
    }
    return samples;
}

/// The sample at a position, zero or mirrored beyond the ends.
template <class T> Wide extended(const T* signal, Integer samples, Integer position, StftEnds ends) {
    if (ends == StftEnds::reflect && position < 0) position = -position;
    if (ends == StftEnds::reflect && position >= samples) position = 2 * samples - 2 - position;
    return position < 0 || position >= samples ? Wide(0) : Wide(signal[position]);
}

struct Case {
    Integer samples, n_fft;
    StftOptions stft;
};

/// Spectrum k of a frame by its sum.
template <class T> Wide by_definition(const Case& c, const T* signal, Integer frame, Integer k) {
    const auto used = static_cast<Integer>(c.stft.window.size());
    const Integer first = (c.n_fft - used) / 2, start = c.stft.ends == StftEnds::none ? 0 : c.n_fft / 2;
    Wide sum = 0;
    for (Integer j = 0; j < used; ++j) {
        const Integer at = first + j;
        const long double turns =
            static_cast<long double>(at * k % c.n_fft) / static_cast<long double>(c.n_fft);
        sum += static_cast<long double>(c.stft.window[static_cast<std::size_t>(j)]) *
               extended(signal, c.samples, frame * c.stft.hop + at - start, c.stft.ends) *
               std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
    }
    return static_cast<long double>(c.stft.scale) * sum;
}

std::vector<double> random_window(Integer n) {
    std::vector<double> window = random_samples<double>(static_cast<std::size_t>(n), 99);
    for (double& value : window) value = 1.5 + value;
    return window;
}

template <class T> void expect_definition(Case c) {
    using Real = typename Component<T>::type;
    c.stft.data_type = is_complex_sample<T> ? complex_of(data_type_of<Real>()) : data_type_of<Real>();
    const Stft stft(c.samples, c.n_fft, c.stft);
    const Integer stride = c.stft.signal_stride == 0 ? c.samples : c.stft.signal_stride;
    const auto signals =
        random_samples<T>(static_cast<std::size_t>((c.stft.signals - 1) * stride + c.samples), 1);
    const auto count = static_cast<std::size_t>(c.stft.signals * stft.frames() * stft.bins());
    std::vector<std::complex<Real>> spectra(count);
    std::vector<Real> powers(count);
    stft.forward(signals, spectra);
    stft.power(signals, powers);
    long double error = 0, power_error = 0, norm = 0, power_norm = 0;
    std::size_t at = 0;
    for (Integer s = 0; s < c.stft.signals; ++s)
        for (Integer f = 0; f < stft.frames(); ++f)
            for (Integer k = 0; k < stft.bins(); ++k, ++at) {
                const Wide expected = by_definition(c, signals.data() + s * stride, f, k);
                error += std::norm(Wide(spectra[at]) - expected);
                norm += std::norm(expected);
                power_error += std::pow(powers[at] - std::norm(expected), 2.0L);
                power_norm += std::pow(std::norm(expected), 2.0L);
            }
    const long double epsilon = std::numeric_limits<Real>::epsilon();
    EXPECT_LT(std::sqrt(error / norm), 4 * epsilon);
    EXPECT_LT(std::sqrt(power_error / power_norm), 8 * epsilon);
    std::vector<T> again(signals.size());
    stft.inverse(spectra, again);
    const Integer start = c.stft.ends == StftEnds::none ? 0 : c.n_fft / 2;
    const Integer first = (c.n_fft - static_cast<Integer>(c.stft.window.size())) / 2;
    for (Integer s = 0; s < c.stft.signals; ++s)
        for (Integer i = 0; i < c.samples; ++i) {
            bool is_covered = false;
            for (Integer f = 0; f < stft.frames(); ++f) {
                const Integer j = i + start - first - f * c.stft.hop;
                is_covered |= j >= 0 && j < static_cast<Integer>(c.stft.window.size());
            }
            const auto place = static_cast<std::size_t>(s * stride + i);
            const T expected = is_covered ? signals[place] : T(0);
            ASSERT_LT(std::abs(again[place] - expected), 40 * static_cast<Real>(epsilon)) << "sample " << i;
        }
}

TEST(Stft, EqualsItsDefinitionAndIsInverted) {
    for (const StftEnds ends : {StftEnds::none, StftEnds::zero, StftEnds::reflect}) {
        for (const auto& [samples, n_fft, hop] : {std::tuple<Integer, Integer, Integer>{100, 16, 4},
                                                  {61, 12, 5},
                                                  {33, 15, 7},
                                                  {40, 16, 16},
                                                  {50, 8, 11},
                                                  {16, 16, 3}}) {
            SCOPED_TRACE(testing::Message() << samples << " samples, n_fft " << n_fft << ", hop " << hop
                                            << ", ends " << static_cast<int>(ends));
            Case c{samples, n_fft, {.hop = hop, .window = random_window(n_fft), .ends = ends}};
            expect_definition<double>(c);
            c.stft.scale = -0.25;
            c.stft.window = random_window(n_fft - 3);
            c.stft.signals = 3;
            c.stft.signal_stride = samples + 5;
            expect_definition<float>(c);
            expect_definition<std::complex<double>>(c);
        }
    }
}

TEST(Stft, HasHannWindowsAndAQuarterAsHopUnlessTold) {
    const Stft stft(1000, 64);
    EXPECT_EQ(stft.samples(), 1000);
    EXPECT_EQ(stft.frames(), 1000 / 16 + 1);
    EXPECT_EQ(stft.bins(), 33);
    std::vector<double> window;
    for (int j = 0; j < 64; ++j) window.push_back(0.5 - 0.5 * std::cos(2 * std::numbers::pi * j / 64));
    const auto x = random_samples<double>(1000, 5);
    std::vector<std::complex<double>> a(63 * 33), b(63 * 33);
    stft.forward(x, a);
    Stft(1000, 64, {.hop = 16, .window = window}).forward(x, b);
    EXPECT_EQ(a, b);
}

TEST(Stft, OfLongSignalsIsInverted) {
    constexpr std::size_t signals = 3, samples = 50'000;
    for (const auto& [n_fft, hop] :
         {std::pair<Integer, Integer>{400, 160}, {512, 128}, {1024, 256}, {1000, 333}})
        for (const int threads : {1, 2}) {
            const Stft stft(samples, n_fft, {.hop = hop, .signals = signals, .data_type = DataType::float32},
                            {.threads = threads});
            const auto x = random_samples<float>(signals * samples, 3);
            const auto count = signals * static_cast<std::size_t>(stft.frames() * stft.bins());
            std::vector<std::complex<float>> spectra(count);
            std::vector<float> powers(count), again(x.size());
            stft.forward(x, spectra);
            stft.power(x, powers);
            for (std::size_t k = 0; k < count; ++k)
                ASSERT_LE(std::abs(powers[k] - std::norm(spectra[k])), 1e-5F * std::norm(spectra[k]) + 1e-6F);
            stft.inverse(spectra, again);
            float largest = 0;
            for (std::size_t i = 0; i + static_cast<std::size_t>(n_fft) < samples; ++i)
                largest = std::max(largest, std::abs(x[i] - again[i]));
            EXPECT_LT(largest, 1e-4F) << n_fft << " " << hop;
        }
}

/// Weight of a frequency in filter `m`, from the corners of the filters.
long double mel_weight(const MelFilters& mel, Integer m, long double hertz) {
    const auto mels_of = [&](long double f) -> long double {
        if (mel.scale == MelScale::htk) return 1127.01048L * std::log1p(f / 700);
        return f < 1000 ? 3 * f / 200 : 15 + 27 * std::log(f / 1000) / std::log(6.4L);
    };
    const auto hertz_of = [&](long double y) -> long double {
        if (mel.scale == MelScale::htk) return 700 * std::expm1(y / 1127.01048L);
        return y < 15 ? 200 * y / 3 : 1000 * std::pow(6.4L, (y - 15) / 27);
    };
    const long double top = mel.highest == 0 ? mel.sample_rate / 2 : mel.highest;
    const long double low = mels_of(mel.lowest), step = (mels_of(top) - low) / (mel.count + 1);
    const long double left = hertz_of(low + m * step), middle = hertz_of(low + (m + 1) * step),
                      right = hertz_of(low + (m + 2) * step);
    const long double height = mel.norm == MelNorm::area ? 2 / (right - left) : 1;
    if (hertz <= left || hertz >= right) return 0;
    return height * (hertz < middle ? (hertz - left) / (middle - left) : (right - hertz) / (right - middle));
}

template <class Real> void expect_mels(Integer samples, Integer n_fft, StftOptions options, int threads) {
    options.data_type = data_type_of<Real>();
    const Stft stft(samples, n_fft, options, {.threads = threads});
    ASSERT_EQ(stft.mels(), options.mel.count);
    const auto x = random_samples<Real>(static_cast<std::size_t>(options.signals * samples), 4);
    const auto spectra = static_cast<std::size_t>(options.signals * stft.frames());
    const auto bins = static_cast<std::size_t>(stft.bins()), mels = static_cast<std::size_t>(stft.mels());
    std::vector<Real> powers(spectra * bins), energies(spectra * mels, -1);
    stft.power(x, powers);
    stft.mel(x, energies);
    std::vector<std::vector<long double>> weights(mels, std::vector<long double>(bins));
    for (std::size_t m = 0; m < mels; ++m)
        for (std::size_t k = 0; k < bins; ++k)
            weights[m][k] = mel_weight(options.mel, static_cast<Integer>(m),
                                       static_cast<long double>(k) * options.mel.sample_rate / n_fft);
    long double error = 0, norm = 0;
    for (std::size_t f = 0; f < spectra; ++f)
        for (std::size_t m = 0; m < mels; ++m) {
            long double sum = 0;
            for (std::size_t k = 0; k < bins; ++k) sum += weights[m][k] * powers[f * bins + k];
            error += std::pow(energies[f * mels + m] - sum, 2.0L);
            norm += sum * sum;
        }
    EXPECT_LT(std::sqrt(error / norm), sizeof(Real) == 4 ? 2e-6L : 1e-7L); // HTK's constants have nine digits
}

TEST(Stft, AddsPowersByMelFilters) {
    for (const MelScale scale : {MelScale::slaney, MelScale::htk})
        for (const MelNorm norm : {MelNorm::none, MelNorm::area}) {
            SCOPED_TRACE(testing::Message() << static_cast<int>(scale) << " " << static_cast<int>(norm));
            MelFilters mel{.count = 40, .sample_rate = 16000, .scale = scale, .norm = norm};
            expect_mels<double>(5000, 400, {.hop = 160, .mel = mel}, 1);
            mel = {.count = 128, .lowest = 30, .highest = 8000, .scale = scale, .norm = norm};
            expect_mels<float>(60000, 1024, {.hop = 256, .ends = StftEnds::zero, .signals = 2, .mel = mel},
                               1);
            expect_mels<float>(20000, 512, {.ends = StftEnds::none, .mel = mel}, 2);
            mel.count = 3;
            expect_mels<double>(300, 15, {.mel = mel}, 1);
        }
    // So narrow that no bin lies within the first filters.
    expect_mels<double>(1000, 64, {.mel = {.count = 60, .scale = MelScale::htk}}, 1);
}

// The first weights of librosa.filters.mel(sr=22050, n_fft=2048), and of its 41st filter.
TEST(Stft, HasTheMelFiltersOfLibrosa) {
    const std::vector<api::MelFilter> filters = api::filters_of({.count = 128}, 2048);
    ASSERT_EQ(filters.size(), 128U);
    EXPECT_EQ(filters[0].first, 1);
    EXPECT_NEAR(filters[0].weights[0], 0.016182853208219942, 1e-8);
    EXPECT_NEAR(filters[0].weights[1], 0.032365706416439884, 1e-8);
    EXPECT_EQ(filters[40].first, 96);
    EXPECT_NEAR(filters[40].weights[1], 0.014093741843680074, 1e-8);
}

TEST(Stft, RefusesWhatDoesNotFit) {
    const auto refused = [](Integer samples, Integer n_fft, const StftOptions& options) {
        return error_of<UserError>([&] { Stft(samples, n_fft, options); });
    };
    EXPECT_NE(refused(0, 16, {}).find("samples is 0"), std::string::npos);
    EXPECT_NE(refused(100, 16, {.hop = -1}).find("hop is -1"), std::string::npos);
    EXPECT_NE(refused(100, 16, {.window = std::vector<double>(17, 1)}).find("17 values"), std::string::npos);
    EXPECT_NE(refused(8, 16, {}).find("more than n_fft/2"), std::string::npos);
    EXPECT_NE(refused(8, 16, {.ends = StftEnds::none}).find("shorter than a frame"), std::string::npos);
    EXPECT_NE(refused(100, 16, {.signals = 2, .signal_stride = 50}).find("must not overlap"),
              std::string::npos);
    EXPECT_NE(refused(100, 16, {.data_type = DataType::int8}).find("int8"), std::string::npos);
    EXPECT_NE(refused(100, 16, {.scale = 0}).find("scale"), std::string::npos);
    EXPECT_NE(refused(100, 16, {.mel = {.count = -1}}).find("mel.count is -1"), std::string::npos);
    EXPECT_NE(refused(100, 16, {.mel = {.count = 4, .sample_rate = 0}}).find("sample_rate"),
              std::string::npos);
    EXPECT_NE(refused(100, 16, {.mel = {.count = 4, .highest = 2e4}}).find("20000 Hz"), std::string::npos);
    EXPECT_NE(refused(100, 16, {.data_type = DataType::complex64, .mel = {.count = 4}}).find("complex"),
              std::string::npos);
    const Stft stft(100, 16);
    std::vector<double> x(100);
    EXPECT_NE(error_of<UserError>([&] { stft.mel(x, x); }).find("no mel filters"), std::string::npos);
    std::vector<std::complex<double>> y(static_cast<std::size_t>(stft.frames() * stft.bins()));
    std::vector<std::complex<float>> wrong(y.size());
    std::vector<std::complex<double>> small(y.size() - 1);
    const auto forward_error = [&](const auto& from, auto& to) {
        return error_of<UserError>([&] { stft.forward(from, to); });
    };
    EXPECT_NE(forward_error(x, wrong).find("another element type"), std::string::npos);
    EXPECT_NE(forward_error(x, small).find("at least"), std::string::npos);
    EXPECT_NE(forward_error(std::vector<double>(99), y).find("'signals' has 99"), std::string::npos);
}

TEST(Stft, AddsFramesThatRepeatInLoops) {
    const formula::Formula sum = api::overlap_add({1000, 16, 4, 0, 16}, 8, 4000);
    EXPECT_LT(MatrixFormula(sum).text().size(), 2000U);
    EXPECT_EQ(sum.rows(), 4000);
    EXPECT_EQ(sum.columns(), 16000);
}

} // namespace stft_test
} // namespace swirl
