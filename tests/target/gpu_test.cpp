#include "target/gpu.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace swirl::target {
namespace gpu_test {

struct Case {
    int threads;
    int registers;
    Integer shared_bytes;
    int blocks;
};

/// Computed with NVIDIA's own rules: cudaOccMaxActiveBlocksPerMultiprocessor of <cuda_occupancy.h> (CUDA 13.0), given the
/// device properties of an A100 and of an H100.
const std::vector<Case> on_a100 = {
    {32, 0, 0, 32},      {32, 16, 0, 32},       {64, 40, 0, 24},      {96, 33, 3000, 16},
    {128, 32, 0, 16},    {128, 64, 8192, 8},    {128, 168, 0, 3},     {160, 97, 0, 3},
    {192, 72, 20000, 4}, {224, 65, 1, 4},       {256, 32, 0, 8},      {256, 33, 0, 6},
    {256, 40, 16384, 6}, {256, 64, 32768, 4},   {256, 128, 49152, 2}, {256, 255, 0, 1},
    {257, 255, 0, 0},    {288, 200, 0, 0},      {384, 80, 40960, 2},  {416, 100, 0, 1},
    {512, 32, 65536, 2}, {512, 64, 0, 2},       {512, 65, 0, 1},      {512, 128, 100000, 1},
    {513, 128, 0, 0},    {640, 96, 0, 1},       {768, 40, 0, 2},      {896, 72, 0, 1},
    {992, 65, 0, 0},     {1024, 32, 102400, 1}, {1024, 64, 0, 1},     {1024, 65, 0, 0},
    {1025, 16, 0, 0},    {64, 32, 5120, 27},    {64, 32, 6144, 23},   {1, 1, 166912, 1},
    {32, 24, 166913, 0}, {32, 24, 232449, 0},   {128, 32, 10496, 14},
};
const std::vector<Case> on_h100 = {
    {32, 0, 0, 32},      {32, 16, 0, 32},       {64, 40, 0, 24},      {96, 33, 3000, 16},
    {128, 32, 0, 16},    {128, 64, 8192, 8},    {128, 168, 0, 3},     {160, 97, 0, 3},
    {192, 72, 20000, 4}, {224, 65, 1, 4},       {256, 32, 0, 8},      {256, 33, 0, 6},
    {256, 40, 16384, 6}, {256, 64, 32768, 4},   {256, 128, 49152, 2}, {256, 255, 0, 1},
    {257, 255, 0, 0},    {288, 200, 0, 0},      {384, 80, 40960, 2},  {416, 100, 0, 1},
    {512, 32, 65536, 3}, {512, 64, 0, 2},       {512, 65, 0, 1},      {512, 128, 100000, 1},
    {513, 128, 0, 0},    {640, 96, 0, 1},       {768, 40, 0, 2},      {896, 72, 0, 1},
    {992, 65, 0, 0},     {1024, 32, 102400, 2}, {1024, 64, 0, 1},     {1024, 65, 0, 0},
    {1025, 16, 0, 0},    {64, 32, 5120, 32},    {64, 32, 6144, 32},   {1, 1, 166912, 1},
    {32, 24, 166913, 1}, {32, 24, 232448, 1},   {32, 24, 232449, 0},  {128, 32, 10496, 16},
};

void expect_blocks(const Gpu& gpu, const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        const Occupancy result = occupancy(gpu, c.threads, c.registers, c.shared_bytes);
        EXPECT_EQ(result.blocks, c.blocks)
            << gpu.name << ": " << c.threads << " threads, " << c.registers << " registers, "
            << c.shared_bytes << " bytes; limited by " << name_of(result.limited_by);
        EXPECT_EQ(result.warps, c.blocks * ((c.threads + 31) / 32));
    }
}

TEST(GpuRates, AreThoseOfTheDataSheets) {
    const double tera = 1e12;
    const Gpu &a100 = gpu_named("sm_80"), &h100 = gpu_named("sm_90");
    EXPECT_NEAR(peak_flops(a100, 4) / tera, 19.5, 0.1);
    EXPECT_NEAR(peak_flops(a100, 8) / tera, 9.7, 0.1);
    EXPECT_NEAR(peak_flops(h100, 4) / tera, 67, 0.1);
    EXPECT_NEAR(peak_flops(h100, 8) / tera, 33.5, 0.1);
    EXPECT_NEAR(peak_tensor_flops(a100, 2) / tera, 312, 0.5);
    EXPECT_NEAR(peak_tensor_flops(a100, 8) / tera, 19.5, 0.1);
    EXPECT_NEAR(peak_tensor_flops(h100, 2) / tera, 989.4 * 1980 / 1830, 1) << "at the highest clock";
    EXPECT_NEAR(peak_tensor_flops(h100, 8) / tera, 67, 0.5);
    EXPECT_EQ(peak_flops(gpu_named("generic"), 4), 0) << "is no particular card";
}

TEST(Gpu, EveryEntryIsFoundByItsName) {
    for (const Gpu* gpu : gpus()) EXPECT_EQ(&gpu_named(gpu->name), gpu);
    try {
        gpu_named("sm_12");
        FAIL();
    } catch (const UserError& error) {
        EXPECT_EQ(std::string(error.what()), "unknown GPU 'sm_12'; the names are generic, sm_80, sm_90");
    }
}

TEST(Gpu, IsChosenByExactComputeCapabilityElseGeneric) {
    EXPECT_EQ(gpu_for(8, 0).name, "sm_80");
    EXPECT_EQ(gpu_for(9, 0).name, "sm_90");
    for (const auto& [major, minor] : {std::pair{7, 0}, {7, 5}, {8, 6}, {8, 9}, {10, 0}, {12, 0}})
        EXPECT_EQ(gpu_for(major, minor).name, "generic") << major << "." << minor;
    EXPECT_THROW(gpu_for(6, 1), UserError);
}

TEST(Gpu, EntriesAreConsistent) {
    for (const Gpu* gpu : gpus()) {
        SCOPED_TRACE(gpu->name);
        EXPECT_EQ(gpu->ptx_target,
                  "sm_" + std::to_string(gpu->capability_major * 10 + gpu->capability_minor));
        EXPECT_LE(gpu->shared_bytes_per_block, gpu->max_shared_bytes_per_block);
        EXPECT_LE(gpu->max_shared_bytes_per_block + gpu->shared_bytes_reserved,
                  gpu->shared_bytes_per_multiprocessor);
        EXPECT_LE(gpu->portable_cluster, gpu->largest_cluster);
        EXPECT_EQ(gpu->line_bytes % gpu->sector_bytes, 0);
        EXPECT_EQ(gpu->threads_per_multiprocessor % (gpu->warp_size * gpu->partitions), 0);
        EXPECT_TRUE(gpu->has_async_copy || !gpu->has_tma);
        EXPECT_EQ(gpu->tensor.warpgroup, !gpu->special_target.empty());
    }
}

TEST(Gpu, GenericPromisesNoMoreThanAnyOther) {
    const Gpu& generic = gpu_named("generic");
    for (const Gpu* gpu : gpus()) {
        SCOPED_TRACE(gpu->name);
        EXPECT_LE(generic.threads_per_multiprocessor, gpu->threads_per_multiprocessor);
        EXPECT_LE(generic.blocks_per_multiprocessor, gpu->blocks_per_multiprocessor);
        EXPECT_LE(generic.max_shared_bytes_per_block, gpu->max_shared_bytes_per_block);
        EXPECT_LE(generic.largest_cluster, gpu->largest_cluster);
        for (const Case& c : on_h100)
            EXPECT_LE(occupancy(generic, c.threads, c.registers, c.shared_bytes).blocks,
                      occupancy(*gpu, c.threads, c.registers, c.shared_bytes).blocks);
    }
}

TEST(Occupancy, IsThatOfNvidiasRules) {
    expect_blocks(gpu_named("sm_80"), on_a100);
    expect_blocks(gpu_named("sm_90"), on_h100);
}

TEST(Occupancy, NamesWhatLimitsIt) {
    const Gpu& gpu = gpu_named("sm_90");
    EXPECT_EQ(occupancy(gpu, 32, 16, 0).limited_by, OccupancyLimit::blocks);
    EXPECT_EQ(occupancy(gpu, 1024, 32, 0).limited_by, OccupancyLimit::threads);
    EXPECT_EQ(occupancy(gpu, 1025, 16, 0).limited_by, OccupancyLimit::threads);
    EXPECT_EQ(occupancy(gpu, 256, 64, 0).limited_by, OccupancyLimit::registers);
    EXPECT_EQ(occupancy(gpu, 128, 32, 100000).limited_by, OccupancyLimit::shared_memory);
}

TEST(Occupancy, IsZeroBeyondTheRegisterLimit) {
    for (const Gpu* gpu : gpus()) EXPECT_EQ(occupancy(*gpu, 32, 256, 0).blocks, 0);
}

TEST(Occupancy, WantsThreads) {
    EXPECT_THROW(occupancy(gpu_named("sm_80"), 0, 32, 0), InternalError);
    EXPECT_THROW(occupancy(gpu_named("sm_80"), 32, -1, 0), InternalError);
}

} // namespace gpu_test
} // namespace swirl::target
