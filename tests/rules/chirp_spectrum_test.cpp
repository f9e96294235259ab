#include "formula/chirp_spectrum.hpp"

#include "base/error.hpp"
#include "formula/roots_of_unity.hpp"
#include "rules/accurate_dft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace swirl::rules {
namespace chirp_spectrum_test {

using formula::ChirpSpectrum;
using formula::Complex;

std::vector<Complex> by_dft(Integer n, Integer size) {
    formula::DiagonalValues values;
    const formula::DiagonalFunction chirp = formula::ChirpFunction{n, Direction::backward};
    std::vector<Complex> half(static_cast<std::size_t>(size / 2 + 1));
    for (Integer k = 0; k < n && k <= size / 2; ++k) half[static_cast<std::size_t>(k)] = values(chirp, k);
    return accurate_even_dft(std::move(half), size);
}

TEST(ChirpSpectra, EqualTheDftOfTheChirpForEveryParityAndPadding) {
    const std::pair<Integer, Integer> cases[] = {
        {4096, 8190},    {4099, 8196},    {4099, 8198},     {4099, 16396},   {5003, 10240},
        {16421, 65600},  {32771, 65540},  {32768, 65536},   {65536, 131070}, {65537, 131072},
        {65537, 163840}, {65538, 147456}, {100003, 262144}, {131071, 262140}};
    for (const auto& [n, size] : cases) {
        const std::vector<Complex> expected = by_dft(n, size);
        const ChirpSpectrum spectrum(n, size);
        long double worst = 0;
        for (Integer j = 0; j <= size / 2; ++j)
            worst = std::max(worst, std::abs(spectrum(j) - expected[static_cast<std::size_t>(j)]));
        EXPECT_LT(worst, 2e-18L * std::sqrt(static_cast<long double>(n))) << n << " in " << size;
    }
}

TEST(ChirpSpectra, AreExactBeyond64BitIndexProducts) {
    // For j = M/2 both stationary points have the phase n/4, a number of few bits, and the ends sum to 1.
    const Integer n = (Integer{1} << 33) - 9, size = Integer{1} << 34;
    const long double pi = std::acos(-1.0L), root = std::sqrt(static_cast<long double>(n));
    const Complex expected =
        2 * root * std::polar(1.0L, pi / 4 - pi * static_cast<long double>(n % 8) / 4) - Complex(1);
    EXPECT_LT(std::abs(ChirpSpectrum(n, size)(size / 2) - expected), 1e-17L * root);
}

TEST(ChirpSpectra, AreFunctionsOfDiagonals) {
    for (const auto& [n, size] : {std::pair<Integer, Integer>{4099, 8640}, {4100, 8640}, {4100, 8199}})
        for (const Direction direction : {Direction::forward, Direction::backward}) {
            formula::DiagonalValues values;
            const formula::ChirpSpectrumFunction spectrum{n, size, direction};
            for (const Integer j : {Integer{0}, Integer{1}, size / 3, size / 2, size - 1}) {
                Complex sum = 1;
                for (Integer k = 1; k < n; ++k) {
                    const Complex entry = formula::root_of_unity(2 * n, k * k, reversed(direction));
                    sum += entry * (2 * formula::root_of_unity(size, j * k, Direction::forward).real());
                }
                sum /= static_cast<long double>(size);
                EXPECT_LT(std::abs(values(spectrum, j) - sum), 1e-18L) << n << " in " << size << " at " << j;
                EXPECT_EQ(formula::diagonal_value(spectrum, j), values(spectrum, j));
            }
        }
}

/// What kernels compute: twiddles, and the polynomials of the ends.
Complex by_polynomials(const formula::EndsOfChirp& ends, Integer n, Integer size, Integer j,
                       formula::DiagonalValues& values) {
    const long double m = static_cast<long double>(size), sign = n % 2 == 0 ? 1 : -1;
    const Complex phase =
        values(formula::ChirpFunction{size * size, Direction::forward, n}, j); // of more than 2^42 roots
    const Complex turn =
        values(formula::TwiddleFunction{size, {1, size}, {size, 2}, Direction::backward, n}, size + j);
    const auto polynomial = [](const std::vector<double>& coefficients, double x) {
        double sum = 0;
        for (std::size_t k = coefficients.size(); k-- > 0;) sum = sum * x + coefficients[k];
        return sum;
    };
    const auto a = static_cast<double>(std::min(j, size - j));
    const double t = (a - ends.pole) / (a + ends.pole), w = a * a * ends.square - 1;
    const Complex v(polynomial(ends.re, t) + a * polynomial(ends.regular_re, w),
                    polynomial(ends.im, t) + a * polynomial(ends.regular_im, w));
    const long double odd = j <= size / 2 ? 1 : -1;
    const Complex eighth = std::polar(std::sqrt(static_cast<long double>(n)) / m, std::acos(-1.0L) / 4);
    return eighth * phase * (Complex(1) + sign * turn) - sign * (turn.real() / m - v * (odd * turn.imag()));
}

TEST(ChirpSpectra, AreTwiddlesAndPolynomials) {
    for (const auto& [n, size] : {std::pair<Integer, Integer>{4096, 8192},
                                  {5003, 10240},
                                  {6000011, 12000256},
                                  {1000000007, 2013265920}}) {
        const ChirpSpectrum spectrum(n, size);
        formula::DiagonalValues values;
        for (const double error : {0x1p-55, 0x1p-27}) {
            const formula::EndsOfChirp ends = formula::ends_of_chirp(n, size, error);
            const long double unit = std::sqrt(static_cast<long double>(n)) / static_cast<long double>(size);
            long double worst = 0;
            const auto compare = [&, n = n, size = size](Integer j) {
                worst = std::max(worst, std::abs(by_polynomials(ends, n, size, j, values) -
                                                 spectrum.of_function(j, Direction::forward)));
            };
            for (Integer j = 0; j < 200; ++j) compare(j), compare(size - 1 - j);
            for (Integer j = 200; j < size; j += size / 200) compare(j);
            EXPECT_LT(worst, 8 * std::max(error, 0x1p-53) * unit) << n << " in " << size;
        }
    }
}

TEST(ChirpSpectra, NeedLongChirps) {
    EXPECT_THROW(ChirpSpectrum(ChirpSpectrum::shortest - 1, 1 << 14), InternalError);
    EXPECT_THROW(ChirpSpectrum(5003, 10003), InternalError);
}

} // namespace chirp_spectrum_test
} // namespace swirl::rules
