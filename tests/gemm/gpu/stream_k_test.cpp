// Stream-K.
#include "gemm/gpu/scheduler/stream_k.hpp"
#include "gemm/gpu/gemm_run.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace swirl::gemm::test {
namespace stream_k_test {

SimtGemm stream_schedule(int blocks, int data_parallel_tiles = 0, const std::string& more = {}) {
    SimtGemm schedule = simt_schedule_of(
        "cta_m=8 cta_n=8 cta_k=4 thread_m=2 thread_n=2 warp_lanes_m=4 "
        "warp_lanes_n=4 "
        "stages=3 raster_group=2 " +
        more);
    schedule.decomposition = StreamK{.blocks = blocks, .data_parallel_tiles = data_parallel_tiles};
    return schedule;
}

/// Tiles and k-tiles shared among several counts of blocks.
TEST(StreamK, SharesKTilesInEveryProportion) {
    for (const Integer tiles : {1, 2, 3})
        for (const Integer tiles_of_k : {1, 2, 3, 5})
            for (int blocks = 1; blocks <= tiles * tiles_of_k && blocks < 9; ++blocks)
                for (int whole = 0; whole * blocks < tiles; ++whole)
                    if ((tiles - whole * blocks) * tiles_of_k >= blocks)
                        expect_product(product_of('N', 'N', 8 * tiles, 8, 4 * tiles_of_k),
                                       stream_schedule(blocks, whole));
}

TEST(StreamK, EveryKSuitsEveryKTile) {
    for (Integer k = 1; k <= 17; ++k)
        for (const int stages : {2, 3, 6}) {
            SimtGemm schedule = stream_schedule(3, 1); // of six tiles
            schedule.stages = stages;
            expect_product(product_of('N', 'T', 20, 16, k), schedule);
            std::get<StreamK>(schedule.decomposition).data_parallel_tiles = 0;
            expect_product(product_of('T', 'N', 20, 16, k), schedule);
        }
}

TEST(StreamK, IsTheProductForRandomGrids) {
    std::mt19937 random(20230109);
    const auto random_int = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int k = 0; k < 60; ++k) {
        MatrixProduct product =
            product_of(random_int(0, 1) == 0 ? 'N' : 'T', random_int(0, 1) == 0 ? 'N' : 'T',
                       random_int(8, 50), random_int(8, 40), random_int(8, 60), random_int(0, 3),
                       random_int(0, 3) == 0 ? DataType::float64 : DataType::float32);
        product.batch = random_int(1, 3);
        for (MatrixLayout* layout : {&product.a, &product.b, &product.c}) layout->batch_stride = 8000;
        SimtGemm schedule = stream_schedule(random_int(1, 40), random_int(0, 2));
        schedule.raster_group = random_int(1, 4);
        schedule.stages = random_int(2, 5);
        schedule.interleave_copies = random_int(0, 1) == 1;
        schedule.sliced_k = random_int(1, 2);
        schedule.cta_tile.k = 4 * random_int(1, 2);
        if (infeasibility(schedule, product, gpu()))
            std::get<StreamK>(schedule.decomposition).data_parallel_tiles = 0;
        if (const auto reason = infeasibility(schedule, product, gpu())) continue;
        SCOPED_TRACE(k);
        expect_product(product, schedule, {.reads_c = random_int(0, 1) == 0});
        if (::testing::Test::HasFailure()) return;
    }
}

TEST(StreamK, LoadsVectorsAndKeepsKMajorOperands) {
    for (const Integer k : {12, 20, 32}) {
        expect_product(product_of('N', 'T', 24, 16, k, 4),
                       stream_schedule(5, 0, "a_vector_m=2 b_vector_n=2 c_vector_m=2"));
        expect_product(product_of('T', 'N', 24, 16, k, 4),
                       stream_schedule(5, 0, "a_vector_k=4 b_vector_k=4 cta_k=8"));
        expect_product(product_of('T', 'N', 24, 16, k, 4),
                       stream_schedule(4, 1, "a_vector_k=2 b_vector_k=4 cta_k=8 sliced_k=2"));
    }
}

TEST(StreamK, FinishesEachElementOnce) {
    for (const bool multiplies : {true, false})
        for (const bool reads_c : {true, false}) {
            expect_product(product_of('N', 'N', 20, 23, 18), stream_schedule(4, 1), {multiplies, reads_c});
            expect_product(product_of('N', 'N', 20, 23, 18), stream_schedule(7), {multiplies, reads_c});
        }
    MatrixProduct by_rows = product_of('N', 'T', 20, 23, 18);
    by_rows.c = {23, 1};
    expect_product(by_rows, stream_schedule(4, 1));
}

TEST(StreamK, HasWarpsMultiply) {
    for (const Integer k : {24, 37})
        expect_product(
            product_of('N', 'T', 72, 36, k, 0, DataType::float64),
            parse_gpu_schedule(
                "cta_m=32 cta_n=16 cta_k=8 thread_m=2 thread_n=2 "
                "mma_k=4 stages=3 raster_group=2 copy_k=4 stream_k_blocks=5 data_parallel_tiles=1"));
}

/// k indices that two k-tiles share, where k is not a multiple of cta_k, count once; padding zeros are never multiplied by a NaN of A or B.
TEST(StreamK, SpreadsInfinities) {
    const MatrixProduct product = product_of('N', 'N', 8, 8, 10);
    support::KernelSequence kernels(gpu_gemm_kernels(product, stream_schedule(2), gpu()));
    ir::Memory &a = kernels.memory("a"), &b = kernels.memory("b"), &c = kernels.memory("c");
    for (Integer i = 0; i < 80; ++i) {
        a.set(i, 1);
        b.set(i, i < 10 ? std::numeric_limits<long double>::infinity() : 1); // the first column
    }
    kernels.memory("alpha_beta").set(0, 1);
    kernels.memory("alpha_beta").set(1, 0);
    kernels.run({1, 0});
    for (Integer i = 0; i < 8; ++i) {
        EXPECT_EQ(c[i], std::numeric_limits<long double>::infinity());
        EXPECT_EQ(c[i + 8], 10);
    }
}

TEST(StreamK, IndexesPartialsByTileAndBlock) {
    for (Integer blocks = 1; blocks < 20; ++blocks)
        for (Integer tiles_of_k = 1; tiles_of_k < 9; ++tiles_of_k)
            for (Integer tiles = 1; tiles < 9; ++tiles) {
                const StreamKPartition stream{.tiles_m = tiles, .k_tiles = tiles_of_k, .blocks = blocks};
                std::vector<bool> taken(static_cast<std::size_t>(stream.partials()));
                for (Integer tile = 0; tile < tiles; ++tile) {
                    const Integer first = tile * tiles_of_k / stream.k_tiles_per_block();
                    const Integer last = (tile * tiles_of_k + tiles_of_k - 1) / stream.k_tiles_per_block();
                    EXPECT_LE(last - first + 1, stream.partials_of_tile());
                    for (Integer block = first; block <= last; ++block) {
                        EXPECT_FALSE(taken.at(static_cast<std::size_t>(tile + block)));
                        taken.at(static_cast<std::size_t>(tile + block)) = true;
                    }
                }
            }
}

TEST(StreamK, LeavesOneOrTwoWavesToShare) {
    const SimtGemm schedule = simt_schedule_of(
        "cta_m=256 cta_n=128 cta_k=16 thread_m=16 thread_n=8 a_vector_m=4 "
        "c_vector_m=4");
    const MatrixProduct product = product_of('N', 'N', 3000, 3000, 3000);
    const std::vector<SimtGemm> streams =
        stream_k_candidates(schedule, canonical_for_gpu(product), gpu()); // of 288 tiles
    ASSERT_EQ(streams.size(), 2U);
    for (const SimtGemm& stream : streams) {
        EXPECT_EQ(stream.stream_k()->blocks, 132);
        EXPECT_FALSE(infeasibility(stream, product, gpu()));
    }
    EXPECT_EQ(streams[0].stream_k()->data_parallel_tiles, 2);
    EXPECT_EQ(streams[1].stream_k()->data_parallel_tiles, 1);
    EXPECT_EQ(stream_k_of(streams[0], product).k_tiles_per_block(), 35); // of 24 tiles of 188 k-tiles
    EXPECT_TRUE(
        stream_k_candidates(schedule, canonical_for_gpu(product_of('N', 'N', 256, 128, 64)), gpu()).empty());
    EXPECT_TRUE(
        stream_k_candidates(schedule, canonical_for_gpu(product), target::gpu_named("generic")).empty());
}

TEST(StreamK, SaysWhatDoesNotSuit) {
    const MatrixProduct product = product_of('N', 'N', 24, 24, 16);
    const auto why = [&](const SimtGemm& schedule) {
        return infeasibility(schedule, product, gpu()).value_or("");
    };
    EXPECT_EQ(why(stream_schedule(4, 2)), "");
    EXPECT_NE(why(stream_schedule(3, 3)).find("leave nothing to share of 9 tiles"), std::string::npos);
    EXPECT_NE(why(stream_schedule(40)).find("stream_k_blocks is 40, and there are 36 k-tiles"),
              std::string::npos);
    EXPECT_NE(why(stream_schedule(0, 1)).find("stream_k_blocks is 0"), std::string::npos);
}

} // namespace stream_k_test
} // namespace swirl::gemm::test
