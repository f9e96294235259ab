#include "ir/cache_misses.hpp"

#include "ir/builder.hpp"

#include <gtest/gtest.h>

namespace swirl::ir {
namespace cache_misses_test {

/// Reads elements 0, stride, 2·stride, … of an array of float64, `times` times over.
Program sweeps(Integer count, Integer stride, Integer times, int lanes = 1) {
    Builder builder("sweeps");
    const Buffer from = builder.input("from", DataType::float64, count * stride);
    const Buffer to = builder.output("to", DataType::float64, lanes);
    builder.for_loop("time", times, [&](const Affine&) {
        builder.for_loop("i", 0, count, lanes, For::Kind::serial, [&](const Affine& i) {
            builder.load(from, stride * i, {.lanes = lanes, .lane_stride = stride});
        });
    });
    builder.store(to, 0, builder.constant({DataType::float64, lanes}, 0), {.lanes = lanes});
    return builder.finish();
}

constexpr CacheShape small{.bytes = 64 * 64}; // 64 lines

TEST(CacheMisses, ArraysThatFitAreLoadedOnce) {
    const CacheMisses loads = count_cache_misses(sweeps(504, 1, 10), small);
    EXPECT_EQ(loads.accesses, 5040 + 1);
    EXPECT_EQ(loads.lines, 63 + 1);
}

TEST(CacheMisses, ArraysBeyondTheCacheAreLoadedEachTime) {
    EXPECT_EQ(count_cache_misses(sweeps(65 * 8, 1, 10), small).lines, 65 * 10 + 1);
}

TEST(CacheMisses, VectorsAcrossTwoLinesTouchBoth) {
    for (const int lanes : {2, 4, 8})
        EXPECT_EQ(count_cache_misses(sweeps(256, 1, 1, lanes), small).lines, 32 + 1) << lanes;
    Builder builder("unaligned");
    const Buffer buffer = builder.output("to", DataType::float64, 16);
    builder.store(buffer, 4, builder.constant({DataType::float64, 8}, 0), {.lanes = 8});
    EXPECT_EQ(count_cache_misses(builder.finish(), small).lines, 2);
    EXPECT_EQ(count_cache_misses(sweeps(16, 8, 1, 8), small).lines, 16 + 1);
}

TEST(CacheMisses, ElementsAPageApartShareASet) {
    const CacheShape two_ways{.bytes = 64 * 64, .ways = 2};
    EXPECT_EQ(count_cache_misses(sweeps(16, 512, 10), small).lines, 16 + 1);
    EXPECT_EQ(count_cache_misses(sweeps(16, 512, 10), two_ways).lines, 160 + 1);
    EXPECT_EQ(count_cache_misses(sweeps(16, 8, 10), two_ways).lines, 16 + 1);
}

} // namespace cache_misses_test
} // namespace swirl::ir
