#include "loops/endpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace swirl::loops {
namespace endpoint_test {

/// A loop program's variables: their extents, and one more for a table's symbol.
struct Loops {
    std::vector<Integer> counts;
    Extents extents;
    Variable symbol;

    explicit Loops(std::vector<Integer> given)
        : counts(std::move(given)), symbol(static_cast<Variable>(counts.size())) {
        for (std::size_t v = 0; v < counts.size(); ++v) extents.set(static_cast<Variable>(v), counts[v]);
    }

    std::vector<Integer> random_iteration(std::minstd_rand& random) const {
        std::vector<Integer> values;
        for (const Integer count : counts)
            values.push_back(std::uniform_int_distribution<Integer>(0, count - 1)(random));
        return values;
    }
};

/// Blocks of `inner` entries in each of which a codelet's loops run over 13-tuples, of which `width` entries are
/// neighbours: the digits by which the map divides cross them.
Affine index_of_blocks(Integer inner, Integer width) {
    return Affine::of(0, inner) + Affine::of(1, 13 * width) + Affine::of(2, width) + Affine::of(3);
}

Integer address_at(const Location& location, const std::vector<Integer>& values) {
    const auto lookup = [&](Variable v) { return values[static_cast<std::size_t>(v)]; };
    return location.re.evaluate([&](Variable v) {
        return location.table && v == location.table->symbol ? location.table->value(lookup) : lookup(v);
    });
}

void expect_same(const Location& location, const formula::IndexMap& map, const Affine& index,
                 const Loops& loops) {
    std::minstd_rand random(1);
    for (int k = 0; k < 1000; ++k) {
        const std::vector<Integer> values = loops.random_iteration(random);
        const Integer at = index.evaluate([&](Variable v) { return values[static_cast<std::size_t>(v)]; });
        ASSERT_EQ(address_at(location, values), map(at));
    }
}

TEST(Layouts, OfRowsThatFollowEachOtherNeedNoTableForLoopsThatCrossThem) {
    Loops loops({7, 48, 32});
    const Affine index =
        Affine::of(0, 1536) + Affine::of(1, 32) + Affine::of(2); // 32 of the rows' 48 entries
    const auto locate = [&](std::vector<Integer> strides) {
        return Endpoint({Memory::Kind::planar, 0})
            .through(Layout{{7, 32, 48}, std::move(strides)})
            .locate(index, loops.extents, loops.symbol);
    };
    const auto dense = locate({2000, 48, 1});
    ASSERT_TRUE(dense && !dense->table);
    EXPECT_EQ(dense->re, Affine::of(0, 2000) + Affine::of(1, 32) + Affine::of(2));
    const auto with_gaps = locate({2000, 50, 1});
    EXPECT_TRUE(with_gaps && with_gaps->table);
}

TEST(LongIndexTables, HaveOnlyTheDigitsThatLoopsDoNotSeparate) {
    constexpr Integer blocks = 7163, inner = 32032, width = 8; // 308·13·8 entries a block, in rows of 32
    Loops loops({blocks, 308, 13, width});
    const formula::IndexMap map(blocks * inner, blocks * inner,
                                formula::DigitMap{{blocks, 1001, 32}, {32, 32 * blocks, 1}});
    const Affine index = index_of_blocks(inner, width);
    const auto location =
        Endpoint({Memory::Kind::planar, 0}).through(map).locate(index, loops.extents, loops.symbol);
    ASSERT_TRUE(location && location->table);
    EXPECT_EQ(std::count(location->table->variables.begin(), location->table->variables.end(), 0), 0);
    EXPECT_EQ(location->re.coefficient(0), 32);
    expect_same(*location, map, index, loops);
}

TEST(LongIndexTables, LeaveOutTheLowestDigitsToo) {
    constexpr Integer blocks = 300, width = 8;
    Loops loops({blocks, 308, 13, width});
    const formula::IndexMap map(blocks * 32032, blocks * 32032,
                                formula::DigitMap{{blocks, 1001, 4, 8}, {4, 4 * blocks, 1, 1201200}});
    const Affine index = index_of_blocks(32032, width);
    const auto location =
        Endpoint({Memory::Kind::planar, 0}).through(map).locate(index, loops.extents, loops.symbol);
    ASSERT_TRUE(location && location->table);
    EXPECT_EQ(location->table->variables, (std::vector<Variable>{1, 2}));
    expect_same(*location, map, index, loops);
}

TEST(LongIndexTables, AreNotSplitWhereDigitsCountDown) {
    constexpr Integer blocks = 300, width = 8, size = blocks * 32032;
    Loops loops({blocks, 308, 13, width});
    const formula::IndexMap map(size, size,
                                formula::DigitMap{{blocks, 1001, 32}, {-32032, 32, 1}, 299 * 32032});
    const Affine index = index_of_blocks(32032, width);
    const auto location =
        Endpoint({Memory::Kind::planar, 0}).through(map).locate(index, loops.extents, loops.symbol);
    ASSERT_TRUE(location && location->table);
    expect_same(*location, map, index, loops);
}

} // namespace endpoint_test
} // namespace swirl::loops
