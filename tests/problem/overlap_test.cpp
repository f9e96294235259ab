#include "problem/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace swirl {
namespace overlap_test {

using Verdict = OverlapResult::Verdict;

Integer offset(const std::vector<Axis>& axes, const std::vector<Integer>& indices) {
    Integer sum = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) sum += indices[i] * axes[i].stride;
    return sum;
}

bool overlaps_by_enumeration(const std::vector<Axis>& axes) {
    std::map<Integer, int> seen;
    std::vector<Integer> indices(axes.size(), 0);
    while (true) {
        if (++seen[offset(axes, indices)] > 1) return true;
        std::size_t i = 0;
        while (i < axes.size() && ++indices[i] == axes[i].length) indices[i++] = 0;
        if (i == axes.size()) return false;
    }
}

void expect_true_witness(const std::vector<Axis>& axes, const OverlapResult& result) {
    ASSERT_TRUE(result.witness);
    EXPECT_NE(result.witness->first, result.witness->second);
    EXPECT_EQ(offset(axes, result.witness->first), offset(axes, result.witness->second));
    for (std::size_t i = 0; i < axes.size(); ++i)
        for (const Integer index : {result.witness->first[i], result.witness->second[i]})
            EXPECT_TRUE(0 <= index && index < axes[i].length);
}

TEST(FindOverlap, AgreesWithEnumerationOnRandomLoops) {
    std::mt19937 random(7);
    const auto any = [&](int lowest, int highest) {
        return std::uniform_int_distribution<int>(lowest, highest)(random);
    };
    int overlapping = 0;
    for (int i = 0; i < 6000; ++i) {
        const int widest = any(0, 1) == 0 ? 20 : 120;
        std::vector<Axis> axes(static_cast<std::size_t>(any(0, 5)));
        for (Axis& axis : axes) axis = {any(1, 5), any(-widest, widest)};
        const OverlapResult result = find_overlap(axes);
        const bool expected = overlaps_by_enumeration(axes);
        ASSERT_EQ(result.verdict, expected ? Verdict::overlapping : Verdict::disjoint) << "case " << i;
        if (expected) expect_true_witness(axes, result);
        overlapping += expected ? 1 : 0;
    }
    EXPECT_GT(overlapping, 1000);
    EXPECT_LT(overlapping, 5000);
}

TEST(FindOverlap, DecidesLayoutsThatInterlockWithoutTouching) {
    const std::vector<Axis> layouts[] = {
        {{3, 2}, {2, 3}},                                  // 0 2 4 and 3 5 7
        {{1000, 999}, {999, 1000}},                        // coprime strides, just too long to overlap
        {{1 << 20, 3}, {3, 1}},                            // three interleaved signals
        {{4, 6}, {2, 9}, {3, 1 << 20}},                    // one interlocked pair below an outer loop
        {{1 << 15, 6}, {1 << 15, 10 << 15}, {3, 2 << 15}}, // only the gcd separates them
    };
    for (const auto& axes : layouts) EXPECT_EQ(find_overlap(axes).verdict, Verdict::disjoint);
    EXPECT_EQ(find_overlap({{1001, 999}, {1000, 1000}}).verdict, Verdict::overlapping);
}

TEST(FindOverlap, DecidesLargeStridesWithoutOverflow) {
    const Integer large = (Integer{1} << 60) - 3;
    EXPECT_EQ(find_overlap({{2, large}, {2, large - 1}}).verdict, Verdict::disjoint);
    const std::vector<Axis> same{{2, large / 2}, {2, -(large / 2)}};
    const OverlapResult result = find_overlap(same);
    EXPECT_EQ(result.verdict, Verdict::overlapping);
    expect_true_witness(same, result);
    EXPECT_EQ(find_overlap({{2, large / 4}, {2, large / 5}, {2, large / 7}, {2, large / 11}}).verdict,
              Verdict::disjoint);
}

TEST(FindOverlap, IgnoresTheStrideOfASingleElement) {
    EXPECT_EQ(find_overlap({{1, 0}, {4, 1}, {1, 1}}).verdict, Verdict::disjoint);
    EXPECT_EQ(find_overlap({}).verdict, Verdict::disjoint);
    EXPECT_EQ(find_overlap({{2, 0}}).verdict, Verdict::overlapping);
}

TEST(FindOverlap, GivesUpOrCountsWhereManyLoopsInterlock) {
    // Powers of nearly equal strides: exponentially many near misses, or more elements than offsets.
    std::vector<Axis> axes;
    for (int i = 0; i < 24; ++i) axes.push_back({2, 1'000'003 + 17 * i * i});
    const OverlapResult result = find_overlap(axes);
    if (result.verdict == Verdict::overlapping && result.witness) expect_true_witness(axes, result);
    EXPECT_NE(result.verdict, Verdict::disjoint) << "2^24 elements on fewer places";
}

std::set<Integer> bytes_of_elements(const Elements& elements, Integer start) {
    std::set<Integer> bytes;
    std::vector<Integer> indices(elements.axes.size(), 0);
    while (true) {
        for (Integer byte = 0; byte < elements.bytes; ++byte)
            bytes.insert(start + offset(elements.axes, indices) * elements.bytes + byte);
        std::size_t i = 0;
        while (i < indices.size() && ++indices[i] == elements.axes[i].length) indices[i++] = 0;
        if (i == indices.size()) return bytes;
    }
}

TEST(FindSharedByte, AgreesWithEnumerationOnRandomLoops) {
    std::mt19937 random(9);
    const auto any = [&](int lowest, int highest) {
        return std::uniform_int_distribution<int>(lowest, highest)(random);
    };
    int shared = 0;
    for (int i = 0; i < 4000; ++i) {
        const auto drawn = [&] {
            Elements elements;
            elements.bytes = 1 << any(0, 4);
            elements.axes.resize(static_cast<std::size_t>(any(0, 3)));
            for (Axis& axis : elements.axes) axis = {any(1, 5), any(-20, 20)};
            return elements;
        };
        const Elements first = drawn(), second = drawn();
        const Integer distance = any(-300, 300);
        const std::set<Integer> a = bytes_of_elements(first, 0), b = bytes_of_elements(second, distance);
        const bool expected =
            std::any_of(a.begin(), a.end(), [&](Integer byte) { return b.count(byte) > 0; });
        ASSERT_EQ(find_shared_byte(first, second, distance),
                  expected ? Verdict::overlapping : Verdict::disjoint)
            << "case " << i;
        shared += expected ? 1 : 0;
    }
    EXPECT_GT(shared, 800);
    EXPECT_LT(shared, 3200);
}

TEST(FindSharedByte, DecidesLargeArraysThatInterleave) {
    const Elements every_second{{{1000000, 2}}, 16};
    EXPECT_EQ(find_shared_byte(every_second, every_second, 16), Verdict::disjoint);
    EXPECT_EQ(find_shared_byte(every_second, every_second, 32), Verdict::overlapping);
    EXPECT_EQ(find_shared_byte(every_second, every_second, 8), Verdict::overlapping);
    // Two blocks of a matrix of 100000 rows.
    const Elements block{{{4000, 1}, {5000, 100000}}, 8};
    EXPECT_EQ(find_shared_byte(block, block, 8 * 4000), Verdict::disjoint);
    EXPECT_EQ(find_shared_byte(block, block, 8 * 3999), Verdict::overlapping);
    EXPECT_EQ(find_shared_byte(block, block, 8 * (100000 - 4000)), Verdict::disjoint);
}

} // namespace overlap_test
} // namespace swirl
