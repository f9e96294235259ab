#include "loops/merge_loops.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace swirl::loops {
namespace merge_loops_test {

using namespace formula;

/// By looking at each value.
std::vector<Integer> missed_by(const IndexMap& map) {
    std::vector<bool> hit(static_cast<std::size_t>(map.range()));
    for (const Integer value : map.values()) hit[static_cast<std::size_t>(value)] = true;
    std::vector<Integer> missed;
    for (Integer i = 0; i < map.range(); ++i)
        if (!hit[static_cast<std::size_t>(i)]) missed.push_back(i);
    return missed;
}

void expect_complement(const IndexMap& map) {
    const auto locations = complement(map);
    const std::vector<Integer> expected = missed_by(map);
    ASSERT_EQ(locations.has_value(), !expected.empty());
    if (!locations) return;
    EXPECT_EQ(locations->values(), expected);
    EXPECT_EQ(*locations, IndexMap::table(expected, map.range()).canonical());
}

TEST(TheComplementOfAMap, IsWhatItMisses) {
    for (const Integer n : {1, 2, 3, 8, 9}) {
        expect_complement(IndexMap::identity(n));
        for (const Integer stride : {1, 2, 3, 7})
            for (const Integer base : {0, 1, 4})
                for (const Integer more : {0, 1, 5})
                    expect_complement(IndexMap::strided(n, base + stride * (n - 1) + 1 + more, base, stride));
        const Integer spectrum = 2 * n + 2; // of 2n reals
        if (n > 1)
            expect_complement(IndexMap::piecewise(
                {DigitMap{{n + 1}, {2}, 0, 0}, DigitMap{{n - 1}, {-2}, 2 * n - 1, 0}}, spectrum));
        expect_complement(
            IndexMap::piecewise({DigitMap{{2, n}, {n + 3, 1}, 2, 0}, DigitMap{{}, {}, 0, 0}}, 3 * n + 9));
        expect_complement(IndexMap(2 * n, 6 * n, DigitMap{{n, 2}, {-6, 1}, 6 * n - 6, 0}));
        expect_complement(IndexMap(4 * n, 8 * n + 6, DigitMap{{2, n, 2}, {4 * n + 1, 4, 1}, 1, 0}));
    }
}

TEST(TheComplementOfAMap, TakesNoLongerForLongMaps) {
    const Integer n = Integer{1} << 40;
    EXPECT_EQ(complement(IndexMap::strided(n, 2 * n, 0, 2)), IndexMap::strided(n, 2 * n, 1, 2));
    EXPECT_EQ(complement(IndexMap::strided(n, 3 * n, 0, 1)), IndexMap::strided(2 * n, 3 * n, n, 1));
    EXPECT_FALSE(complement(IndexMap::identity(n)));
    const IndexMap even_and_odd = IndexMap::piecewise( // of the first 2n
        {DigitMap{{n}, {2}, 0, 0}, DigitMap{{n}, {-2}, 2 * n - 1, 0}}, 4 * n);
    EXPECT_EQ(complement(even_and_odd), IndexMap::strided(2 * n, 4 * n, 2 * n, 1));
    const auto spectrum = complement(IndexMap::piecewise(
        {DigitMap{{n + 1}, {2}, 0, 0}, DigitMap{{n - 1}, {-2}, 2 * n - 1, 0}}, 2 * n + 2));
    ASSERT_TRUE(spectrum);
    EXPECT_EQ(spectrum->values(), (std::vector<Integer>{1, 2 * n + 1}));
    EXPECT_EQ(
        complement(IndexMap::piecewise({DigitMap{{n}, {1}, n, 0}, DigitMap{{n}, {1}, 5 * n, 0}}, 8 * n)),
        IndexMap::piecewise(
            {DigitMap{{n}, {1}, 0, 0}, DigitMap{{3 * n}, {1}, 2 * n, 0}, DigitMap{{2 * n}, {1}, 6 * n, 0}},
            8 * n));
}

TEST(TheComplementOfAMap, IsNoLongTable) {
    for (const Integer n :
         {Integer{5}, Integer{100001}, (Integer{1} << 40) + 1}) { // of n reals, among complex elements
        const IndexMap reals =
            IndexMap::piecewise({DigitMap{{n / 2 + 1}, {2}, 0, 0}, DigitMap{{n / 2}, {-2}, n, 0}}, 2 * n);
        const std::vector<IndexMap> maps = piecewise_complement(reals);
        ASSERT_FALSE(maps.empty());
        Integer count = 0;
        for (const IndexMap& one : maps) count += one.domain();
        EXPECT_EQ(count, n);
        if (n > 5) {
            ASSERT_EQ(maps.size(), 2U);
            EXPECT_EQ(maps[0], IndexMap::strided(n - 1, 2 * n, n + 1, 1));
            EXPECT_EQ(maps[1].values(), std::vector<Integer>{1});
        }
    }
}

TEST(SeparateDiagonals, ConstantSummandsBecomeOneDiagonal) {
    const Integer n = Integer{1} << 30;
    const Formula sum =
        direct_sum({I(n), diagonal(ConstantFunction{3}, n), I(1), diagonal(ConstantFunction{3}, 2)});
    const std::vector<MergedFactor> factors =
        merge_loops(product({sum, DFT(2 * n + 3, Direction::forward)}), true);
    ASSERT_EQ(factors.back().after.size(), 1U);
    const auto& diagonal = std::get<Diagonal>(factors.back().after[0]);
    EXPECT_EQ(std::get<ExplicitFunction>(diagonal.function).values->size(), 2U);
    const auto entry = [&](Integer i) { return diagonal_value(diagonal.function, diagonal.index(i)); };
    for (const Integer i : {Integer{0}, n - 1, 2 * n}) EXPECT_EQ(entry(i), Complex(1)) << i;
    for (const Integer i : {n, 2 * n - 1, 2 * n + 1, 2 * n + 2}) EXPECT_EQ(entry(i), Complex(3)) << i;
}

TEST(LoopMerges, OfLongPermutationsInPiecesAreNamedWithoutTheirValues) {
    const Integer n = Integer{1} << 40;
    const IndexMap even_and_odd =
        IndexMap::piecewise({DigitMap{{n}, {2}, 0, 0}, DigitMap{{n}, {-2}, 2 * n - 1, 0}}, 2 * n);
    const std::vector<LoopMerge> merges = loop_merges_of(scatter(even_and_odd) * kron(DFT(2), I(n)));
    ASSERT_FALSE(merges.empty());
    EXPECT_NE(merges.front().folded.find("pieces"), std::string::npos);
}

} // namespace merge_loops_test
} // namespace swirl::loops
