#include "rules/cost.hpp"
#include "rules/reference.hpp"
#include "rules/straight_line.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <limits>
#include <thread>

namespace swirl::rules {
namespace cost_test {

using formula::DFT;
using formula::RDFT;

/// Real additions and multiplications of FFTW 3.3's complex codelets dft/scalar/codelets/n1_<n>.c, as the comment at
/// the head of each states them for the variant without fused multiply-add ("This function contains … FP additions,
/// … FP multiplications"). Their generator: Frigo, "A fast Fourier transform compiler", PLDI 1999.
constexpr struct {
    Integer n;
    OperationCount genfft;
} published[] = {
    {2, {4, 0}},     {3, {12, 4}},     {4, {16, 0}},    {5, {32, 12}},    {6, {36, 8}},
    {7, {60, 36}},   {8, {52, 4}},     {9, {80, 40}},   {10, {84, 24}},   {11, {140, 100}},
    {12, {96, 16}},  {13, {176, 68}},  {14, {148, 72}}, {15, {156, 56}},  {16, {144, 24}},
    {20, {208, 48}}, {25, {352, 184}}, {32, {372, 84}}, {64, {912, 248}},
};

/// The same of rdft/scalar/r2cf/r2cf_<n>.c: real input, halfcomplex output.
constexpr struct {
    Integer n;
    OperationCount genfft;
} published_real[] = {
    {2, {2, 0}},    {3, {4, 2}},      {4, {6, 0}},     {5, {12, 6}},     {6, {14, 4}},
    {7, {24, 18}},  {8, {20, 2}},     {9, {38, 26}},   {10, {34, 12}},   {11, {60, 50}},
    {12, {38, 8}},  {13, {76, 34}},   {14, {62, 36}},  {15, {64, 25}},   {16, {58, 12}},
    {20, {86, 24}}, {25, {200, 140}}, {32, {156, 42}}, {64, {394, 124}}, {128, {956, 330}},
};

Formula straight_line(const Formula& transform) {
    return expand(transform, cheapest_straight_line(transform));
}

TEST(CheapestStraightLine, TakesNoMoreOperationsThanGenfftForComplexTransforms) {
    for (const auto& [n, genfft] : published)
        for (const Direction direction : {Direction::forward, Direction::backward}) {
            const OperationCount ours = operations(straight_line(DFT(n, direction)), true);
            EXPECT_LE(ours.total(), genfft.total()) << n;
            if (direction == Direction::forward)
                std::cout << fmt::format("{:3}: {:4}+{:4}   {:4}+{:4}\n", n, ours.additions,
                                         ours.multiplications, genfft.additions, genfft.multiplications);
        }
}

// The real codelets are a by-product; for p = 15 genfft moves a factor √¾ through a 5-point transform.
TEST(CheapestStraightLine, RealCodeletsAreWithinFourPercentOfGenfft) {
    for (const auto& [n, genfft] : published_real) {
        const OperationCount ours = operations(straight_line(RDFT(n)), false);
        EXPECT_LE(100 * ours.total(), 104 * genfft.total()) << n;
        if (n != 15) {
            EXPECT_LE(ours.total(), genfft.total()) << n;
        }
    }
}

// All sizes below the first prime whose Rader convolution needs a transform of large prime size, 53 = 4·13 + 1.
TEST(StraightLineOperations, BoundThoseOfTheExpandedFormulaWithinFivePercent) {
    for (Integer n = 1; n < 53; ++n)
        for (const Formula& transform : {DFT(n), RDFT(n)}) {
            const Integer bound = straight_line_operations(transform).total();
            const Integer counted = operations(straight_line(transform), transform == DFT(n)).total();
            EXPECT_LE(counted, bound) << n;
            EXPECT_LE(100 * bound, 105 * counted) << n;
        }
}

std::vector<Formula> transforms_of_size(Integer n) {
    std::vector<Formula> result{DFT(n), DFT(n, Direction::backward), RDFT(n), RDFT(n, Direction::backward)};
    result.push_back(formula::DHT(n));
    for (const int type : {1, 2, 3, 4, 5, 6, 7, 8}) {
        if (type > 1 || n > 1) result.push_back(formula::DCT(type, n));
        result.push_back(formula::DST(type, n));
    }
    if ((n & (n - 1)) == 0) result.push_back(formula::WHT(n));
    std::mt19937 generator(static_cast<unsigned>(n));
    result.push_back(formula::circulant(reference::random_vector(n, generator)));
    if (n % 6 == 0) result.push_back(formula::kron(DFT(n / 6), DFT(6)));
    return result;
}

TEST(CheapestStraightLine, ExpandsToATerminalFormulaEqualToTheTransform) {
    constexpr long double tolerance = 64 * std::numeric_limits<long double>::epsilon();
    std::vector<Integer> sizes{67, 96, 97, 100, 107, 121, 125, 127, 128, 131};
    for (Integer n = 1; n <= 64; ++n) sizes.push_back(n);
    for (const Integer n : sizes)
        for (const Formula& transform : transforms_of_size(n)) {
            const Formula expanded = straight_line(transform);
            EXPECT_TRUE(nonterminals(expanded).empty()) << n;
            std::mt19937 generator(static_cast<unsigned>(n));
            const auto x = reference::random_vector(n, generator);
            EXPECT_LT(reference::relative_error(formula::apply(expanded, x), formula::apply(transform, x)),
                      tolerance)
                << n << " payload " << transform.payload().index();
        }
}

TEST(CheapestStraightLine, GivesEveryThreadTheSameTree) {
    std::vector<std::vector<BreakdownTree>> trees(4);
    std::vector<std::thread> threads;
    for (auto& own : trees)
        threads.emplace_back([&own] {
            for (Integer n = 150; n >= 129; --n) own.push_back(cheapest_straight_line(DFT(n)));
        });
    for (std::thread& thread : threads) thread.join();
    for (const auto& own : trees) EXPECT_EQ(own, trees.front());
}

} // namespace cost_test
} // namespace swirl::rules
