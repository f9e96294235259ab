#include "passes/vectorize.hpp"

#include "ir/verify.hpp"
#include "passes/eliminate_common_subexpressions.hpp"
#include "passes/remove_dead_code.hpp"
#include "passes/support.hpp"

#include <set>

namespace swirl::passes {
namespace vectorize_test {

using namespace ir;

/// out[j][l] = 2 · in[j][l], with in and out laid out by iteration stride and column stride.
struct Layout {
    Integer iteration, column;
    Affine operator()(const Affine& l, Integer j) const { return offset + iteration * l + column * j; }
    Integer offset = 0;
};

Program doubling(int trips, int columns, const Layout& from, const Layout& to) {
    Builder b("doubling");
    const Integer size = 640;
    const Buffer in = b.input("in", DataType::float64, size);
    const Buffer out = b.output("out", DataType::float64, size);
    b.for_loop("l", 0, trips, 1, For::Kind::vector, [&](const Affine& l) {
        std::vector<Value> values;
        for (int j = 0; j < columns; ++j) values.push_back(b.load(in, from(l, j)));
        for (int j = 0; j < columns; ++j) b.store(out, to(l, j), b.add(values[j], values[j]));
    });
    return b.finish();
}

Program vectorized(const Program& program, int lanes, bool permutes_two = false) {
    Program after = remove_dead_code(vectorize(program, lanes, permutes_two));
    verify(after, VerificationLevel::vectorized);
    expect_same_results(program, after);
    return after;
}

TEST(Vectorize, KeepsResultsForAllLayoutsAndTails) {
    for (const int lanes : {2, 4, 8, 16})
        for (int trips = 1; trips <= lanes; ++trips)
            for (const int columns : {1, 2, 3, 4, 6, 8, 16, 17}) {
                const Layout layouts[] = {{1, 16},                                 // planar
                                          {-1, 20, 20},                            // planar, backwards
                                          {columns, 1},                            // rows, touching
                                          {columns + 3, 1},                        // rows, apart
                                          {-(columns + 3), 1, 15 * (columns + 3)}, // rows, backwards
                                          {columns * 2, 2}}; // strided in both directions
                for (const Layout& layout : layouts) {
                    vectorized(doubling(trips, columns, layout, layouts[0]), lanes);
                    vectorized(doubling(trips, columns, layouts[0], layout), lanes);
                    vectorized(doubling(trips, columns, layout, layouts[0]), lanes, true);
                    vectorized(doubling(trips, columns, layouts[0], layout), lanes, true);
                    if (::testing::Test::HasFailure()) FAIL() << lanes << " " << trips << " " << columns;
                }
            }
}

TEST(Vectorize, DeinterleavesPairsWithTwoShuffles) {
    for (const int lanes : {2, 4, 8, 16}) {
        const Program after = vectorized(doubling(lanes, 2, {2, 1}, {2, 1}), lanes);
        EXPECT_EQ(count(after, Opcode::load), 2);
        EXPECT_EQ(count(after, Opcode::store), 2);
        EXPECT_EQ(count(after, Opcode::shuffle), 4);
        EXPECT_EQ(count(after, Opcode::add), 2);
    }
}

TEST(Vectorize, SeparatesTouchingRowsWithoutAnAccessForEach) {
    struct Case {
        int lanes, columns, shuffles;
    };
    // Rows of 4: every other element, twice. Rows of 6: every other element, then one from each of three vectors.
    for (const auto& [lanes, columns, shuffles] : {Case{8, 4, 8}, {16, 4, 8}, {8, 6, 18}, {16, 6, 18}}) {
        const Program loads = vectorized(doubling(lanes, columns, {columns, 1}, {1, 16}), lanes, true);
        EXPECT_EQ(count(loads, Opcode::load), columns);
        EXPECT_EQ(count(loads, Opcode::shuffle), shuffles);
        const Program stores = vectorized(doubling(lanes, columns, {1, 16}, {columns, 1}), lanes, true);
        EXPECT_EQ(count(stores, Opcode::store), columns);
        EXPECT_EQ(count(stores, Opcode::shuffle), shuffles);
        EXPECT_EQ(count(vectorized(doubling(lanes, columns, {columns, 1}, {1, 16}), lanes), Opcode::load),
                  lanes);
    }
}

TEST(Vectorize, PartialPairsTakeAtMostTwoAccesses) {
    const auto active = [](const Program& program, Opcode opcode) {
        std::vector<int> lanes;
        for_each_operation(program, [&](Value v) {
            if (program[v].opcode == opcode) lanes.push_back(program[v].active);
        });
        return lanes;
    };
    const Program three = vectorized(doubling(3, 2, {2, 1}, {2, 1}), 8);
    EXPECT_EQ(active(three, Opcode::load), std::vector<int>{6});
    EXPECT_EQ(active(three, Opcode::store), std::vector<int>{6});
    const Program five = vectorized(doubling(5, 2, {2, 1}, {2, 1}), 8);
    EXPECT_EQ(active(five, Opcode::load), (std::vector<int>{8, 2}));
    EXPECT_EQ(active(five, Opcode::store), (std::vector<int>{8, 2}));
}

TEST(Vectorize, TransposesSquareBlocksInLogarithmicallyManyStages) {
    for (const int lanes : {2, 4, 8, 16}) {
        const int stages = lanes == 2 ? 1 : lanes == 4 ? 2 : lanes == 8 ? 3 : 4;
        const Program loads = vectorized(doubling(lanes, lanes, {20, 1}, {1, 20}), lanes);
        EXPECT_EQ(count(loads, Opcode::shuffle), lanes * stages);
        EXPECT_EQ(count(loads, Opcode::load), lanes);
        const Program stores = vectorized(doubling(lanes, lanes, {1, 20}, {20, 1}), lanes);
        EXPECT_EQ(count(stores, Opcode::shuffle), lanes * stages);
        EXPECT_EQ(count(stores, Opcode::store), lanes);
    }
}

TEST(Vectorize, NeedsFewShufflesForRowsOfTwo) {
    // Eight rows of two: four, two and one pair of rows joined, then the columns separated.
    EXPECT_EQ(count(vectorized(doubling(8, 2, {20, 1}, {1, 20}), 8), Opcode::shuffle), 8);
    // Two columns unpacked; the first row of each result is in place.
    EXPECT_EQ(count(vectorized(doubling(8, 2, {1, 20}, {20, 1}), 8), Opcode::shuffle), 8);
}

TEST(Vectorize, SplatsWhatIsTheSameInAllLanes) {
    Builder b("uniform");
    const Buffer in = b.input("in", DataType::float64, 16);
    const Buffer table = b.table("twiddles", DataType::float64, std::vector<long double>{1, 2, 3, 4});
    const Buffer out = b.output("out", DataType::float64, 16);
    b.for_loop("j", 2, [&](const Affine& j) {
        const Value outside = b.load(table, j + 2);
        b.for_loop("l", 0, 8, 1, For::Kind::vector, [&](const Affine& l) {
            const Value w = b.load(table, j);
            b.store(out, 8 * j + l, b.fma(b.load(in, 8 * j + l), w, b.multiply(b.constant(f64, 3), outside)));
        });
    });
    const Program program = b.finish();
    const Program after = vectorized(program, 8);
    EXPECT_EQ(count(after, Opcode::splat), 2);
    for_each_operation(after, [&](Value v) {
        const auto buffer = static_cast<std::size_t>(after[v].address.buffer);
        if (after[v].opcode == Opcode::load) {
            EXPECT_EQ(after[v].type.lanes, after.buffers[buffer].name == "twiddles" ? 1 : 8);
        }
    });
}

TEST(Vectorize, KeepsLoadsAndStoresOfOneBufferInOrder) {
    Builder b("in_place");
    const Buffer x = b.output("x", DataType::float64, 32);
    const Buffer y = b.output("y", DataType::float64, 32);
    b.for_loop("l", 0, 8, 1, For::Kind::vector, [&](const Affine& l) {
        const Value re = b.load(x, 2 * l), im = b.load(x, 2 * l + 1);
        b.store(x, 2 * l, b.add(re, im));
        b.store(y, 2 * l, b.load(x, 2 * l)); // the new value
        b.store(x, 2 * l + 1, b.subtract(re, im));
        b.store(y, 2 * l + 1, b.load(x, 2 * l + 1));
        b.store(x, 2 * l, b.constant(f64, 5));
    });
    vectorized(b.finish(), 8);
}

TEST(Vectorize, MakesSerialCodeWhereLanesChooseTheirAddresses) {
    Builder b("gather");
    const Buffer in = b.input("in", DataType::float64, 8);
    const Buffer map = b.table("map", std::vector<Integer>{3, 1, 4, 1, 5, 7, 2, 6});
    const Buffer out = b.output("out", DataType::float64, 8);
    b.for_loop("l", 0, 8, 1, For::Kind::vector,
               [&](const Affine& l) { b.store(out, l, b.load(in, 0, {.dynamic = b.load(map, l)})); });
    const Program after = vectorized(b.finish(), 8);
    for_each_operation(after, [&](Value v) { EXPECT_EQ(after[v].type.lanes, 1); });
}

TEST(Vectorize, LoadsRowsAtUniformDynamicIndices) {
    Builder b("permuted_rows");
    const Buffer in = b.input("in", DataType::float64, 64);
    const Buffer map = b.table("map", std::vector<Integer>{3, 1, 0, 2});
    const Buffer out = b.output("out", DataType::float64, 64);
    b.for_loop("j", 4, [&](const Affine& j) {
        b.for_loop("l", 0, 4, 1, For::Kind::vector, [&](const Affine& l) {
            const Value at = b.load(map, j);
            b.store(out, 8 * j + 2 * l, b.load(in, 8 * l, {.dynamic = at}));
            b.store(out, 8 * j + 2 * l + 1, b.load(in, 8 * l + 1, {.dynamic = at}));
        });
    });
    const Program after = vectorized(b.finish(), 4);
    EXPECT_EQ(count(after, Opcode::load), 1 + 4);
}

TEST(Vectorize, RefusesMoreIterationsThanLanes) {
    EXPECT_THROW(vectorize(doubling(5, 2, {2, 1}, {2, 1}), 4), InternalError);
}

} // namespace vectorize_test
} // namespace swirl::passes
