#include "distributed/decomposition.hpp"
#include "distributed/layout.hpp"
#include "distributed/schedule.hpp"
#include "support/distributed_case.hpp"

#include <swirl/distributed/box.hpp>
#include <swirl/error.hpp>

#include <gtest/gtest.h>

#include <numeric>

namespace {

using namespace swirl;
using namespace swirl::distributed;

TEST(Boxes, OfEveryHelperHoldEachElementOnce) {
    for (const std::vector<Integer>& lengths :
         std::vector<std::vector<Integer>>{{7, 5, 9}, {1, 13}, {6, 6, 6}, {4}})
        for (int ranks = 1; ranks <= 13; ++ranks) {
            for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
                std::vector<Box> boxes = slabs(lengths, ranks, axis);
                EXPECT_NO_THROW(check_partition(boxes, lengths, "slab"));
                boxes = fftw_blocks(lengths, ranks, axis);
                EXPECT_NO_THROW(check_partition(boxes, lengths, "block"));
                if (lengths.size() == 1) continue;
                boxes = pencils(lengths, ranks, axis);
                EXPECT_NO_THROW(check_partition(boxes, lengths, "pencil"));
                for (const Box& box : boxes)
                    EXPECT_TRUE(elements(box) == 0 || length(box, axis) == lengths[axis]);
            }
            std::vector<Box> boxes = bricks(lengths, ranks);
            EXPECT_NO_THROW(check_partition(boxes, lengths, "brick"));
            EXPECT_EQ(boxes.size(), static_cast<std::size_t>(ranks));
        }
}

TEST(Boxes, OfAGridAreRowMajor) {
    const std::vector<Box> boxes = divide({8, 9, 10}, {{2, 1, 3}}, 7);
    EXPECT_EQ(boxes[4], (Box{{4, 0, 3}, {8, 9, 6}}));
    EXPECT_EQ(elements(boxes[6]), 0);
    EXPECT_EQ(to_text(boxes[4]), "[4,8)x[0,9)x[3,6)");
    EXPECT_EQ(to_text(Box{{0, 0}, {1, 2}, {1, 0}}), "[0,1)x[0,2) order (1,0)");
    EXPECT_THROW(divide({8, 9}, {{2, 2}}, 3), UserError);
    EXPECT_THROW(divide({8, 9}, {{2}}, 3), UserError);
    EXPECT_THROW(slabs({8, 9}, 0), UserError);
    EXPECT_THROW(slabs({8, 9}, 2, 2), UserError);
    EXPECT_THROW(pencils({8}, 2, 0), UserError);
}

TEST(Boxes, OfFftwsBlocksAreOfEqualLengthUpToTheLast) {
    const std::vector<Box> boxes = fftw_blocks({10, 3}, 4);
    EXPECT_EQ(length(boxes[0], 0), 3);
    EXPECT_EQ(length(boxes[3], 0), 1);
    EXPECT_EQ(elements(fftw_blocks({4, 3}, 5)[4]), 0);
}

TEST(Boxes, ArePartsWithoutOverflow) {
    constexpr Integer large = Integer{1} << 60;
    EXPECT_EQ(part_begin(large + 5, 1000, 1000), large + 5);
    for (Integer n = 0; n < 40; ++n)
        for (Integer parts = 1; parts < 10; ++parts)
            for (Integer at = 0; at <= parts; ++at) EXPECT_EQ(part_begin(n, parts, at), at * n / parts);
}

/// Position of an element in memory, by what a layout says.
Integer position_of(const Layout& layout, const std::vector<Integer>& index) {
    for (const Block& block : layout) {
        bool is_inside = true;
        for (std::size_t axis = 0; axis < index.size(); ++axis)
            is_inside =
                is_inside && index[axis] >= block.box.lower[axis] && index[axis] < block.box.upper[axis];
        if (!is_inside) continue;
        Integer position = 0;
        for (const int number : order_of(block.box)) {
            const auto axis = static_cast<std::size_t>(number);
            position = position * length(block.box, axis) + index[axis] - block.box.lower[axis];
        }
        return block.offset + position;
    }
    return -1;
}

template <class Visit> void for_each_index(const Box& box, Visit&& visit) {
    std::vector<Integer> index = box.lower;
    for (Integer at = 0; at < elements(box); ++at) {
        visit(index, at);
        for (std::size_t axis = index.size(); axis-- > 0;) {
            if (++index[axis] < box.upper[axis]) break;
            index[axis] = box.lower[axis];
        }
    }
}

TEST(Layouts, HaveTheStridesAndTheMapOfTheirBlocks) {
    std::mt19937_64 random(3);
    int affine = 0, other = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const std::vector<Integer> lengths{1 + static_cast<Integer>(random() % 4),
                                           1 + static_cast<Integer>(random() % 4),
                                           1 + static_cast<Integer>(random() % 4)};
        const Box whole{{0, 0, 0}, lengths};
        Layout layout;
        Integer offset = 0;
        const int parts = static_cast<int>(1 + random() % 3);
        const std::vector<Box> boxes = trial % 2 == 0 ? support::random_boxes(lengths, parts, random)
                                                      : slabs(lengths, parts, random() % 3);
        for (const Box& box : boxes) {
            if (elements(box) == 0) continue;
            layout.push_back({box, offset});
            offset += elements(box);
        }
        const auto strides = strides_of(layout, whole);
        ++(strides ? affine : other);
        const formula::IndexMap map = map_to_box(layout, whole, {0, 1, 2});
        bool is_affine = true; // whether strides found by hand say where elements are
        std::vector<Integer> by_hand(3);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::vector<Integer> next(3);
            next[axis] = 1;
            if (lengths[axis] > 1) by_hand[axis] = position_of(layout, next) - position_of(layout, {0, 0, 0});
        }
        for_each_index(whole, [&](const std::vector<Integer>& index, Integer at) {
            const Integer position = position_of(layout, index);
            EXPECT_EQ(map(position), at);
            Integer expected = position_of(layout, {0, 0, 0});
            for (std::size_t axis = 0; axis < 3; ++axis) expected += index[axis] * by_hand[axis];
            is_affine = is_affine && expected == position;
        });
        is_affine = is_affine && position_of(layout, {0, 0, 0}) == 0 &&
                    std::all_of(by_hand.begin(), by_hand.end(), [](Integer stride) { return stride >= 0; });
        EXPECT_EQ(strides.has_value(), is_affine);
        EXPECT_EQ(strides.value_or(by_hand), by_hand);
    }
    EXPECT_GT(affine, 50);
    EXPECT_GT(other, 50);
}

TEST(Schedules, ArePrintedAndParsed) {
    for (const char* const text : {"in[2] > 0/8,2/8[1] > 1/8,2/8[0] > out", "in[1,0]",
                                   "matrix: in > one[0,1] > out", "in > 1/3[0] > out[1]"})
        EXPECT_EQ(to_text(parse_schedule(text)), text);
    for (const char* const text : {"", "in >", "in[2", "in[] > out", "0/0", "in > 1/2[0]x", "out of"})
        EXPECT_THROW(parse_schedule(text), SyntaxError) << text;
}

} // namespace
