#include "formula/index_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace swirl::formula {
namespace index_map_test {

bool is_digit_map(const IndexMap& map) { return std::holds_alternative<DigitMap>(map.kind()); }

std::vector<Integer> one_by_one(const IndexMap& map, const IndexMap::Environment& environment = {}) {
    std::vector<Integer> values;
    for (Integer i = 0; i < map.domain(); ++i) values.push_back(map(i, environment));
    return values;
}

/// A permutation that splits 0…Π radices−1 into digits and writes them in another order, some reversed.
IndexMap random_digit_permutation(std::mt19937& random, Integer n) {
    std::vector<Integer> radices;
    for (Integer rest = n; rest > 1;) {
        Integer radix = 2;
        while (rest % radix != 0) ++radix;
        if (random() % 3 == 0 || radices.empty())
            radices.push_back(radix);
        else
            radices.back() *= radix;
        rest /= radix;
    }
    std::shuffle(radices.begin(), radices.end(), random);
    std::vector<std::size_t> order(radices.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Integer> strides(radices.size());
    Integer stride = 1, base = 0;
    for (const std::size_t q : order) {
        strides[q] = random() % 4 == 0 ? -stride : stride;
        if (strides[q] < 0) base += stride * (radices[q] - 1);
        stride *= radices[q];
    }
    return {n, n, DigitMap{radices, strides, base}};
}

TEST(StridePermutation, ReadsTheInputAtItsStride) {
    // L^6_2 views x as a 3×2 matrix, row by row, and transposes it: the tutorial, section 6.1
    EXPECT_EQ(one_by_one(IndexMap::stride_permutation(6, 2)), (std::vector<Integer>{0, 2, 4, 1, 3, 5}));
    EXPECT_EQ(one_by_one(IndexMap::stride_permutation(6, 3)), (std::vector<Integer>{0, 3, 1, 4, 2, 5}));
}

TEST(StridePermutation, HasTheOtherStrideAsInverse) {
    for (const auto& [m, n] : {std::pair{2, 3}, {4, 4}, {1, 7}, {7, 1}, {8, 128}}) {
        const IndexMap l = IndexMap::stride_permutation(m * n, m);
        EXPECT_EQ(l.inverse().canonical(), IndexMap::stride_permutation(m * n, n).canonical());
        EXPECT_TRUE(compose(l, l.inverse()).is_identity());
    }
}

TEST(DigitMaps, ListTheValuesTheyTakeOneByOne) {
    std::mt19937 random(1);
    for (const Integer n : {1, 12, 64, 360}) {
        const IndexMap map = random_digit_permutation(random, n);
        EXPECT_EQ(map.values(), one_by_one(map));
    }
    const IndexMap ruritanian(15, 15, DigitMap{{3, 5}, {5, 3}, 0, 15});
    EXPECT_EQ(ruritanian.values(), one_by_one(ruritanian));
    const IndexMap powers(6, 7, PowerMap{3, 7});
    EXPECT_EQ(one_by_one(powers), (std::vector<Integer>{1, 3, 2, 6, 4, 5}));
    EXPECT_EQ(powers.values(), one_by_one(powers));
}

TEST(PiecewiseMaps, TakeTheValuesOfTheirPiecesInOrder) {
    const IndexMap map = IndexMap::piecewise(
        {DigitMap{{4}, {2}, 0, 0}, DigitMap{{0}, {1}, 0, 0}, DigitMap{{3}, {-2}, 5, 0}}, 8);
    EXPECT_EQ(map.values(), (std::vector<Integer>{0, 2, 4, 6, 5, 3, 1}));
    EXPECT_EQ(one_by_one(map), map.values());
    EXPECT_EQ(map, map.canonical());
    EXPECT_FALSE(map.is_permutation());
    EXPECT_FALSE(map.is_identity());
    const IndexMap halves = IndexMap::piecewise({DigitMap{{2}, {1}, 2, 0}, DigitMap{{2}, {1}, 0, 0}}, 4);
    EXPECT_TRUE(halves.is_permutation());
    EXPECT_EQ(halves.inverse().values(), halves.values());
    EXPECT_EQ(compose(map, IndexMap::reversal(7)).values(), (std::vector<Integer>{1, 3, 5, 6, 4, 2, 0}));
    EXPECT_TRUE(IndexMap::piecewise({DigitMap{{3}, {1}, 0, 0}, DigitMap{{2}, {1}, 3, 0}}, 5).is_identity());
    EXPECT_EQ(IndexMap::piecewise({DigitMap{{3}, {1}, 0, 0}}, 5), IndexMap::strided(3, 5, 0, 1));
    EXPECT_THROW(IndexMap(3, 4, PiecewiseMap{{DigitMap{{2}, {1}, 0, 0}}}), InternalError);
    EXPECT_THROW(IndexMap::piecewise({DigitMap{{2}, {1}, 0, 0}, DigitMap{{2}, {1}, 3, 0}}, 4), InternalError);
}

TEST(PiecewiseMaps, ArePermutationsWhereTheyReachEachEntryOnce) {
    std::mt19937 random(6);
    int permutations = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        // pieces of a few progressions; of half of them nothing is spoiled
        const Integer stride = 1 + static_cast<Integer>(random() % 4),
                      rows = 1 + static_cast<Integer>(random() % 5);
        const Integer n = stride * rows;
        std::vector<DigitMap> pieces;
        for (Integer rest = 0; rest < stride; ++rest) {
            const Integer first = random() % 4 == 0 ? static_cast<Integer>(random() % stride) : rest;
            const bool down = random() % 2 == 0;
            pieces.push_back(
                {{rows}, {down ? -stride : stride}, down ? first + stride * (rows - 1) : first, 0});
        }
        std::shuffle(pieces.begin(), pieces.end(), random);
        const IndexMap map = IndexMap::piecewise(pieces, n);
        std::vector<Integer> sorted = map.values(), all(static_cast<std::size_t>(n));
        std::sort(sorted.begin(), sorted.end());
        std::iota(all.begin(), all.end(), Integer{0});
        EXPECT_EQ(map.is_permutation(), sorted == all);
        permutations += sorted == all;
    }
    EXPECT_GT(permutations, 200);
    EXPECT_LT(permutations, 1800);
    const Integer n = Integer{1} << 40; // without a look at each entry
    EXPECT_TRUE(IndexMap::piecewise({DigitMap{{n / 2}, {2}, 0, 0}, DigitMap{{n / 2}, {-2}, n - 1, 0}}, n)
                    .is_permutation());
    EXPECT_FALSE(IndexMap::piecewise({DigitMap{{n / 2}, {2}, 0, 0}, DigitMap{{n / 2}, {-2}, n - 2, 0}}, n)
                     .is_permutation());
}

TEST(DigitMaps, OfPermutationsComposeAndInvertToTheRightValues) {
    std::mt19937 random(2);
    for (int trial = 0; trial < 300; ++trial) {
        const Integer n = std::vector<Integer>{1, 2, 8, 12, 30, 36, 64, 120}[random() % 8];
        const IndexMap a = random_digit_permutation(random, n), b = random_digit_permutation(random, n);
        ASSERT_TRUE(a.is_permutation());
        const IndexMap both = compose(a, b);
        for (Integer i = 0; i < n; ++i) {
            EXPECT_EQ(both(i), a(b(i)));
            EXPECT_EQ(a.inverse()(a(i)), i);
        }
        EXPECT_TRUE(is_digit_map(a.inverse()));
        EXPECT_TRUE(compose(a, a.inverse()).is_identity());
        EXPECT_EQ(IndexMap::table(a.values(), n).canonical(), a.canonical());
    }
}

TEST(DigitMaps, OfPowersOfTwoStayDigitMapsUnderComposition) {
    std::mt19937 random(3);
    const Integer n = Integer{1} << 40; // too large for any table
    IndexMap map = IndexMap::identity(n);
    for (int step = 0; step < 60; ++step)
        map = compose(map, IndexMap::stride_permutation(n, Integer{1} << random() % 41));
    EXPECT_TRUE(is_digit_map(map));
    EXPECT_TRUE(map.is_identity() || map.is_permutation());
    EXPECT_TRUE(compose(map, map.inverse()).is_identity());
}

TEST(DigitMaps, StridePermutationsGiveStridedBlocks) {
    // ℓ^{mn}_m ∘ h_{jn,1} = h_{j,m}: Franchetti, Voronenko, Püschel (2005), the rule behind loop merging
    const Integer m = 8, n = 16;
    const Variable j = 3;
    const IndexMap block = IndexMap::strided(n, m * n, Affine::of(j, n), 1);
    const IndexMap merged = compose(IndexMap::stride_permutation(m * n, m), block);
    EXPECT_EQ(merged, IndexMap::strided(n, m * n, Affine::of(j), m)
                          .canonical()); // j's largest value follows from the range
}

TEST(DigitMaps, ComposeWithVariablesOrRefuse) {
    std::mt19937 random(4);
    int composed = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const Integer n = 72, rows = std::vector<Integer>{2, 3, 4, 6, 8, 9, 12}[random() % 7];
        const IndexMap outer = random_digit_permutation(random, n);
        const bool blocks = random() % 2 == 0;
        const IndexMap inner = blocks ? IndexMap::strided(n / rows, n, Affine::of(0, n / rows), 1)
                                      : IndexMap::strided(n / rows, n, Affine::of(0), rows);
        std::optional<IndexMap> result;
        try {
            result = compose(outer, inner);
        } catch (const InternalError&) {
            continue;
        }
        ++composed;
        for (Integer j = 0; j < rows; ++j)
            for (Integer i = 0; i < inner.domain(); ++i) {
                const auto environment = [&](Variable) { return j; };
                EXPECT_EQ((*result)(i, environment), outer(inner(i, environment)));
            }
    }
    EXPECT_GT(composed, 100);
}

TEST(DigitMaps, ModularMapsArePermutationsIffSurjective) {
    std::mt19937 random(5);
    int permutations = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        const Integer a = 1 + static_cast<Integer>(random() % 6), b = 1 + static_cast<Integer>(random() % 6);
        const Integer c = 1 + static_cast<Integer>(random() % 3), n = a * b * c;
        const auto stride = [&] { return static_cast<Integer>(random() % static_cast<unsigned>(n)); };
        const IndexMap map(n, n, DigitMap{{a, b, c}, {stride(), stride(), stride()}, stride(), n});
        const IndexMap table = IndexMap::table(map.values(), n);
        EXPECT_EQ(map.is_permutation(), table.is_permutation());
        EXPECT_EQ(map.canonical().values(), map.values());
        if (!map.is_permutation()) continue;
        ++permutations;
        const IndexMap inverse = map.inverse();
        for (Integer i = 0; i < n; ++i) EXPECT_EQ(inverse(map(i)), i);
        EXPECT_TRUE(is_digit_map(table.canonical()));
    }
    EXPECT_GT(permutations, 100);
}

TEST(DigitMaps, ModularMapsStayDigitMapsInStridedLoops) {
    // a column of a matrix read in Good–Thomas order: i ↦ j + 7·((5·i₁ + 3·i₂) mod 15)
    const IndexMap ruritanian(15, 15, DigitMap{{3, 5}, {5, 3}, 0, 15});
    for (Integer j = 0; j < 7; ++j) {
        const IndexMap both = compose(IndexMap::strided(15, 105, j, 7), ruritanian);
        ASSERT_TRUE(is_digit_map(both));
        for (Integer i = 0; i < 15; ++i) EXPECT_EQ(both(i), j + 7 * ruritanian(i));
    }
}

TEST(Reversal, IsItsOwnInverse) {
    for (const Integer n : {1, 2, 9}) {
        const IndexMap j = IndexMap::reversal(n);
        EXPECT_TRUE(j.is_permutation());
        EXPECT_EQ(j.inverse().canonical(), j.canonical());
        EXPECT_TRUE(compose(j, j).is_identity());
        // as a map modulo n it is the same map
        EXPECT_EQ(IndexMap(n, n, DigitMap{{n}, {n - 1}, n - 1, n}).canonical(), j.canonical());
    }
}

TEST(Tensor, MapsPairsOfIndices) {
    std::mt19937 random(6);
    const IndexMap ruritanian(15, 15, DigitMap{{3, 5}, {5, 3}, 0, 15});
    const IndexMap powers(6, 7, PowerMap{3, 7});
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<IndexMap> maps{
            random_digit_permutation(random, 12),
            random_digit_permutation(random, 8),
            ruritanian,
            powers,
            IndexMap::identity(4),
            IndexMap::strided(3, 11, 2, 4),
            IndexMap::piecewise({DigitMap{{2}, {3}, 0, 0}, DigitMap{{3}, {-1}, 6, 0}}, 7)};
        const IndexMap &a = maps[random() % maps.size()], &b = maps[random() % maps.size()];
        const IndexMap both = tensor(a, b);
        EXPECT_EQ(both.range(), a.range() * b.range());
        for (Integer i = 0; i < a.domain(); ++i)
            for (Integer j = 0; j < b.domain(); ++j)
                EXPECT_EQ(both(i * b.domain() + j), a(i) * b.range() + b(j));
    }
    EXPECT_TRUE(is_digit_map(tensor(ruritanian, IndexMap::identity(4))));
    EXPECT_TRUE(is_digit_map(tensor(IndexMap::stride_permutation(64, 8), IndexMap::identity(4))));
}

TEST(Canonical, MergesDigitsThatLieContiguously) {
    EXPECT_EQ(IndexMap(24, 24, DigitMap{{2, 1, 3, 4}, {12, 0, 4, 1}}).canonical(), IndexMap::identity(24));
    EXPECT_EQ(IndexMap::stride_permutation(16, 1).canonical(), IndexMap::identity(16));
    EXPECT_EQ(IndexMap::stride_permutation(16, 16).canonical(), IndexMap::identity(16));
}

TEST(AnIndexMap, ThatLeavesItsRangeIsRejected) {
    EXPECT_THROW(IndexMap::strided(4, 7, 1, 2), InternalError);
    EXPECT_THROW(IndexMap::strided(4, 8, 0, -1), InternalError);
    EXPECT_THROW(IndexMap(6, 6, DigitMap{{2, 2}, {2, 1}}), InternalError);
    EXPECT_THROW(IndexMap::table({0, 3}, 3), InternalError);
    EXPECT_THROW(IndexMap::stride_permutation(6, 4), InternalError);
    const IndexMap block = IndexMap::strided(4, 8, Affine::of(0, 4), 1);
    EXPECT_THROW(block.values([](Variable) { return 2; }), InternalError);
}

} // namespace index_map_test
} // namespace swirl::formula
