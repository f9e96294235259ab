// What is said of kernels for GPUs: their main loop's instructions, what they ask of a GPU, who has which element of C.

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/model/sample.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/gpu/scheduler/balance.hpp"
#include "gemm/gpu/simt/thread_map.hpp"
#include "ir/instruction_mix.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm {
namespace explanation_test {

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

/// Gray's tile of 128 × 128 for 256 threads, of matrices as his kernel takes them: A by columns, B by rows.
SimtGemm schedule_of_gray() {
    SimtGemm schedule;
    schedule.a.vector_mn = schedule.b.vector_mn = schedule.c_vector_m = 4;
    return schedule;
}
MatrixProduct product_of(Integer extent, DataType data_type = DataType::float32) {
    return {.data_type = data_type,
            .rows = extent,
            .columns = extent,
            .k = extent,
            .a = {1, extent},
            .b = {extent, 1},
            .c = {1, extent}};
}

TEST(GpuMainLoop, HasTheInstructionsOfTheWalkthrough) {
    const ir::InstructionMix mix = ir::instruction_mix_of_loop(
        gpu_gemm_kernels(product_of(1024), schedule_of_gray(), gpu()).front(), k_tile_loop);
    EXPECT_EQ(mix.threads, 256);
    EXPECT_EQ(mix.fused, 256 * 512);
    EXPECT_EQ(mix.shared_loads, (std::map<Integer, Integer>{{16, 256 * 32}}));
    EXPECT_EQ(mix.copies, (std::map<Integer, Integer>{{16, 256 * 2}}));
    EXPECT_EQ(mix.barriers, 256);
    EXPECT_EQ(mix.other_floating, 0);
    EXPECT_GT(mix.integers, 0);
    EXPECT_GT(512.0 * 256 / static_cast<double>(mix.instructions()), 0.88);
}

TEST(GpuMainLoop, CountsCopiesThatSomeThreadsMake) {
    SimtGemm schedule = schedule_of_gray();
    schedule.cta_tile.n = 64; // 128 threads copy 256 vectors of A and 128 of B
    schedule.cta_tile.k = 6;  // 192 and 96
    const ir::InstructionMix mix =
        ir::instruction_mix_of_loop(gpu_gemm_kernels(product_of(1024), schedule, gpu()).front(), k_tile_loop);
    EXPECT_EQ(mix.copies, (std::map<Integer, Integer>{{16, 192 + 96}}));
}

TEST(GpuMainLoop, HasProductsByWarps) {
    const SimtGemm schedule{.cta_tile = {.m = 32, .n = 16, .k = 8},
                            .thread_tile = {.m = 2, .n = 2},
                            .math = MmaSync{.k = 4},
                            .stages = 3,
                            .copy_k = 4};
    const MatrixProduct product = product_of(64, DataType::float64);
    const ir::InstructionMix mix =
        ir::instruction_mix_of_loop(gpu_gemm_kernels(product, schedule, gpu()).front(), k_tile_loop);
    EXPECT_EQ(mix.fused, 0);
    EXPECT_EQ(mix.mma_multiply_adds, 32 * 16 * 8);
    EXPECT_EQ(mix.mma_instructions, mix.threads * 2); // 16 × 8 × 4 of each warp's 16 × 8, twice
    SimtGemm without = schedule;
    without.math = Fma{};
    EXPECT_DOUBLE_EQ(gpu_balance(product, schedule, gpu()).peak,
                     2 * gpu_balance(product, without, gpu()).peak);
}

TEST(GpuBalance, ReckonsBytesAndWaves) {
    const GpuBalance balance = gpu_balance(product_of(4096), schedule_of_gray(), gpu(), 128);
    EXPECT_EQ(balance.k_tile_bytes, 2 * 128 * 8 * 4);
    EXPECT_EQ(balance.k_tile_fmas, 128 * 128 * 8);
    EXPECT_DOUBLE_EQ(balance.flops_per_byte(), 32);
    EXPECT_DOUBLE_EQ(balance.peak, 132 * 128 * 2 * gpu().rates.hertz);
    EXPECT_DOUBLE_EQ(balance.l2_needed, balance.peak / 32);
    EXPECT_EQ(balance.occupancy.blocks, 2); // of 256 threads with 128 registers
    EXPECT_EQ(balance.occupancy.limited_by, target::OccupancyLimit::registers);
    EXPECT_EQ(balance.blocks, 1024);
    EXPECT_EQ(balance.resident_blocks, 264);
    EXPECT_EQ(balance.waves, 4);
    EXPECT_DOUBLE_EQ(balance.last_wave, (1024 - 3 * 264) / 264.0);
    EXPECT_LT(balance.memory_needed, balance.l2_needed / 5);
}

TEST(GpuBalance, OfAStreamHasItsBlocks) {
    SimtGemm schedule = schedule_of_gray();
    schedule.decomposition = StreamK{.blocks = 264, .data_parallel_tiles = 3};
    const GpuBalance balance = gpu_balance(product_of(4096), schedule, gpu(), 128);
    EXPECT_EQ(balance.blocks, 264);
    EXPECT_EQ(balance.waves, 1);
    EXPECT_DOUBLE_EQ(balance.last_wave, 1);
    ASSERT_TRUE(balance.stream);
    EXPECT_EQ(balance.stream->stream_k_tiles(), 1024 - 3 * 264);
    EXPECT_EQ(balance.stream->k_tiles_per_block(), ceil_divide((1024 - 3 * 264) * 512, 264));
}

TEST(GpuBalance, OfOneWaveReadsWhatThereIsOnce) {
    const GpuBalance balance = gpu_balance(product_of(1024), schedule_of_gray(), gpu(), 128);
    EXPECT_EQ(balance.waves, 1);
    const double flops = 2.0 * 1024 * 1024, bytes = 2.0 * 1024 * 4; // of a k index
    EXPECT_DOUBLE_EQ(balance.memory_needed, balance.peak * bytes / flops);
    EXPECT_DOUBLE_EQ(gpu_balance(product_of(1024, DataType::float64), {.stages = 2}, gpu()).peak,
                     balance.peak / 2);
}

TEST(GpuSample, KeepsPositionsInCacheLines) {
    MatrixProduct product = product_of(5001);
    product.batch = 3;
    for (MatrixLayout* layout : {&product.a, &product.b, &product.c}) layout->batch_stride = 5001 * 5001;
    const MatrixProduct sample = one_tile_of(product, SimtGemm{});
    EXPECT_EQ(sample.rows, 128);
    EXPECT_EQ(sample.k, 16);
    EXPECT_EQ(sample.batch, 1);
    EXPECT_EQ(sample.a.row_stride, 1);
    EXPECT_EQ(sample.a.column_stride % 128, 5001 % 128);
    EXPECT_GE(sample.a.column_stride, 128);
    EXPECT_LT(sample.a.column_stride, 256);
    EXPECT_NO_THROW(validate(SimtGemm{}, sample, gpu()));
}

TEST(GpuSample, CountsSectorsAndConflicts) {
    const GpuSample sample = gpu_sample(product_of(256), schedule_of_gray(), gpu());
    bool has_a = false;
    for (const GpuAccess& access : sample.accesses) {
        EXPECT_EQ(access.counts.extra_cycles, 0) << access.buffer;
        if (access.buffer != "a") continue;
        has_a = true;
        EXPECT_FALSE(access.is_shared || access.is_store);
        EXPECT_EQ(access.counts.sectors, access.counts.accesses * 16); // 32 threads of 16 bytes
    }
    EXPECT_TRUE(has_a);
}

TEST(GpuSample, RunsWithSlicesSplitsAndMatrices) {
    for (const char* text :
         {"cta_m=32 cta_n=16 thread_m=4 thread_n=4 sliced_k=2 split_k=2",
          "cta_m=32 cta_n=16 thread_m=4 thread_n=4 split_k=4 split_k_in_workspace=1 stages=2",
          "cta_m=32 cta_n=16 thread_m=4 thread_n=4 stream_k_blocks=5 data_parallel_tiles=2",
          "cta_m=8 cta_n=8 cta_k=4 thread_m=2 thread_n=2 warp_lanes_m=4 "
          "warp_lanes_n=4 stages=2 matrices=4"}) {
        MatrixProduct product = product_of(64);
        product.batch = 4;
        for (MatrixLayout* layout : {&product.a, &product.b, &product.c}) layout->batch_stride = 64 * 64;
        std::swap(product.c.row_stride, product.c.column_stride);
        EXPECT_FALSE(gpu_sample(product, parse_gpu_schedule(text), gpu()).accesses.empty()) << text;
    }
}

TEST(GpuThreadMap, CoverTheTileOnce) {
    for (const char* more : {"", " zigzag=1", " thread_m=16 cta_m=256", " warp_lanes_m=16 warp_lanes_n=2"})
        for (const DataType data_type : {DataType::float32, DataType::float64}) {
            const SimtGemm schedule = std::get<SimtGemm>(parse_gpu_schedule(to_string(SimtGemm{}) + more));
            std::vector<int> times(static_cast<std::size_t>(schedule.cta_tile.m * schedule.cta_tile.n));
            for (const ThreadFragment& fragment :
                 thread_fragments(schedule, data_type, 0, schedule.k_slice_threads()))
                for (int i = 0; i < fragment.rows; ++i)
                    for (int j = 0; j < fragment.columns; ++j)
                        ++times[static_cast<std::size_t>((fragment.row + i) * schedule.cta_tile.n +
                                                         fragment.column + j)];
            EXPECT_EQ(times, std::vector<int>(times.size(), 1)) << more;
        }
}

} // namespace explanation_test
} // namespace swirl::gemm
