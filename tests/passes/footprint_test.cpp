#include "passes/footprint.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace swirl::passes {
namespace footprint_test {

using namespace ir;

Operation access(Affine index, int lanes, Integer lane_stride, int active, Buffer buffer = 0) {
    Operation operation;
    operation.opcode = Opcode::load;
    operation.type.lanes = lanes;
    operation.address = {buffer, std::move(index), no_value, lane_stride};
    operation.active = active;
    return operation;
}

std::set<Integer> elements(const Operation& operation, const std::vector<Integer>& variables) {
    std::set<Integer> result;
    const Integer base =
        operation.address.index.evaluate([&](Variable v) { return variables[static_cast<std::size_t>(v)]; });
    for (int l = 0; l < operation.active; ++l) result.insert(base + l * operation.address.lane_stride);
    return result;
}

bool meet(const std::set<Integer>& a, const std::set<Integer>& b) {
    for (const Integer element : a)
        if (b.count(element)) return true;
    return false;
}

TEST(Footprint, OfOneShapeMeetsExactlyWhenElementsAreCommon) {
    std::mt19937 random(1);
    const auto random_int = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int i = 0; i < 20000; ++i) {
        FootprintTable table;
        const auto make = [&] {
            const int active = random_int(1, 8);
            return access(5 * Affine::of(0) + random_int(-20, 20), 8, random_int(-5, 5), active);
        };
        const Operation a = make(), b = make();
        ASSERT_EQ(table.may_overlap(table.footprint(a), table.footprint(b)),
                  meet(elements(a, {3}), elements(b, {3})));
    }
}

TEST(Footprint, DynamicIndicesMayAlias) {
    const auto scaled = [](Integer offset, Integer scale) {
        Operation operation = access(offset, 4, 1, 4);
        operation.address.dynamic = 0;
        operation.address.dynamic_scale = scale;
        return operation;
    };
    FootprintTable table;
    const Footprint a = table.footprint(scaled(0, 4));
    EXPECT_FALSE(table.may_overlap(a, table.footprint(scaled(4, 4))));
    EXPECT_TRUE(table.may_overlap(a, table.footprint(scaled(4, 8))));
}

TEST(Footprint, OfTwoShapesNeverDeniesACommonElement) {
    std::mt19937 random(2);
    const auto random_int = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    int disjoint = 0;
    for (int i = 0; i < 20000; ++i) {
        FootprintTable table;
        const auto make = [&] {
            return access(random_int(-3, 3) * 4 * Affine::of(0) + random_int(-2, 2) * 6 * Affine::of(1) +
                              random_int(0, 9),
                          4, random_int(-3, 3), random_int(1, 4));
        };
        const Operation a = make(), b = make();
        if (table.may_overlap(table.footprint(a), table.footprint(b))) continue;
        ++disjoint;
        for (Integer x = -6; x <= 6; ++x)
            for (Integer y = -6; y <= 6; ++y) ASSERT_FALSE(meet(elements(a, {x, y}), elements(b, {x, y})));
    }
    EXPECT_GT(disjoint, 1000);
}

TEST(Footprint, OfTwoBuffersNeverMeets) {
    FootprintTable table;
    EXPECT_FALSE(
        table.may_overlap(table.footprint(access(0, 8, 1, 8, 0)), table.footprint(access(0, 8, 1, 8, 1))));
}

} // namespace footprint_test
} // namespace swirl::passes
