#include "rules/accurate_dft.hpp"

#include "base/interrupt_scope.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <vector>

namespace swirl::rules {
namespace accurate_dft_test {

using formula::Complex;

TEST(AccurateDft, EqualsTheDefinitionForAllFactorizations) {
    // Twos and fours, small primes, primes beyond the definition's, alone and with others before or behind them.
    for (const Integer n :
         {1, 2, 3, 4, 5, 7, 8, 12, 16, 30, 49, 61, 64, 67, 96, 128, 201, 508, 625, 1001, 4489, 5041})
        for (const Direction direction : {Direction::forward, Direction::backward}) {
            std::vector<Complex> x(static_cast<std::size_t>(n));
            std::minstd_rand random(3);
            std::uniform_real_distribution<long double> element(-1, 1);
            for (Complex& value : x) value = Complex(element(random), element(random));
            const std::vector<Complex> y = accurate_dft(x, direction);
            ASSERT_EQ(y.size(), x.size());
            std::vector<Complex> roots;
            for (Integer k = 0; k < n; ++k) roots.push_back(formula::root_of_unity(n, k, direction));
            const Integer step = n > 1000 ? 37 : 1; // of results that are compared
            long double worst = 0;
            for (Integer k = 0; k < n; k += step) {
                Complex sum = 0;
                for (Integer j = 0; j < n; ++j)
                    sum += roots[static_cast<std::size_t>(j * k % n)] * x[static_cast<std::size_t>(j)];
                worst = std::max(worst, std::abs(sum - y[static_cast<std::size_t>(k)]));
            }
            EXPECT_LT(worst, 2e-18L * static_cast<long double>(n)) << n;
        }
}

TEST(AccurateDft, EvenSequencesGiveTheFirstHalf) {
    for (const Integer n : {1, 2, 3, 4, 5, 6, 8, 12, 20, 24, 36, 40, 64, 96, 120, 250, 1000, 2048}) {
        std::minstd_rand random(3);
        std::uniform_real_distribution<long double> element(-1, 1);
        std::vector<Complex> half(static_cast<std::size_t>(n / 2 + 1)), all(static_cast<std::size_t>(n));
        for (Complex& value : half) value = Complex(element(random), element(random));
        for (Integer j = 0; j < n; ++j)
            all[static_cast<std::size_t>(j)] = half[static_cast<std::size_t>(std::min(j, n - j))];
        const std::vector<Complex> expected = accurate_dft(all, Direction::forward);
        const std::vector<Complex> found = accurate_even_dft(half, n);
        ASSERT_EQ(found.size(), half.size());
        for (std::size_t k = 0; k < found.size(); ++k)
            EXPECT_LT(std::abs(found[k] - expected[k]), 1e-18L * static_cast<long double>(n))
                << n << " " << k;
    }
}

TEST(AccurateDft, AsksOftenWhetherToEndAndSoEndsEarly) {
    for (const Integer n : {Integer{1} << 18, Integer{3} << 16, Integer{100003}}) {
        int questions = 0;
        const InterruptScope scope([&] {
            if (++questions == 3) throw std::runtime_error("enough");
        });
        EXPECT_THROW(accurate_dft(std::vector<Complex>(static_cast<std::size_t>(n)), Direction::forward),
                     std::runtime_error)
            << n;
    }
}

} // namespace accurate_dft_test
} // namespace swirl::rules
