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

TEST(ChirpSpectra, NeedLongChirps) {
    EXPECT_THROW(ChirpSpectrum(ChirpSpectrum::shortest - 1, 1 << 14), InternalError);
    EXPECT_THROW(ChirpSpectrum(5003, 10003), InternalError);
}

} // namespace chirp_spectrum_test
} // namespace swirl::rules
