// Products of which warps multiply fragments by tensor cores.
#include "../support/error_of.hpp"
#include "gemm/gpu_model.hpp"
#include "gpu_product_run.hpp"
#include "target/gpu_tensor_cores.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace {

GpuSchedule warp_schedule(const char* more = "") {
    return parse_gpu_schedule(
        "block_rows=32 block_columns=16 block_depth=8 thread_rows=2 thread_columns=2 warp_depth=4 stages=3 "
        "group=2 depth_run=4 " +
        std::string(more));
}

TEST(GpuProduct, WarpsMultiply) {
    for (const char* more :
         {"", "warp_depth=8 block_depth=16", "warp_depth=16 block_depth=32", "slices=2 block_depth=16",
          "thread_rows=4 thread_columns=4 spread=0", "splits=2 stages=4", "c_lanes=2 a_lanes=2 b_lanes=2"})
        for (const Integer depth : {16, 37})
            expect_product(product_of('N', 'T', 72, 36, depth, 0, Number::float64), warp_schedule(more));
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'})
            expect_product(product_of(a, b, 65, 33, 20, 1, Number::float64), warp_schedule());
    expect_product(product_of('N', 'N', 40, 20, 1, 0, Number::float64), warp_schedule());
    MatrixProduct batch = product_of('T', 'N', 40, 20, 9, 0, Number::float64);
    batch.batch = 3;
    batch.a.batch_stride = 400;
    batch.b.batch_stride = 0;
    batch.c.batch_stride = 800;
    expect_product(batch, warp_schedule("matrices=2"));
}

GpuSchedule short_warp_schedule(const char* more = "") {
    return parse_gpu_schedule(
        "block_rows=32 block_columns=16 block_depth=32 thread_rows=2 thread_columns=2 warp_depth=16 stages=3 "
        "group=2 depth_run=16 " +
        std::string(more));
}

/// Factors are short, sums of float32.
MatrixProduct short_product(char a, char b, Integer rows, Integer columns, Integer depth, Integer gap,
                            Number factor) {
    MatrixProduct product = product_of(a, b, rows, columns, depth, gap);
    product.a_number = product.b_number = factor;
    return product;
}

TEST(GpuProduct, WarpsMultiplyShortNumbers) {
    const target::Gpu& earlier = target::gpu_named("sm_80");
    for (const Number factor : {Number::bfloat16, Number::float16}) {
        for (const char* more :
             {"", "slices=2 block_depth=64", "thread_rows=4 thread_columns=4 spread=0",
              "thread_rows=2 thread_columns=8 block_columns=32", "c_lanes=2 a_lanes=8 b_lanes=4"})
            for (const Integer depth : {16, 37})
                expect_product(short_product('N', 'T', 72, 36, depth, 0, factor), short_warp_schedule(more),
                               {}, earlier);
        for (const char a : {'N', 'T'})
            for (const char b : {'N', 'T'})
                expect_product(short_product(a, b, 65, 33, 20, 1, factor), short_warp_schedule(), {},
                               earlier);
    }
    expect_product(short_product('N', 'T', 72, 36, 80, 0, Number::bfloat16),
                   short_warp_schedule("splits=2 stages=4"), {}, gpu());
    for (const auto& [product, target] :
         {std::pair(short_product('N', 'N', 64, 32, 20, 0, Number::float16), "generic"),
          {product_of('N', 'N', 64, 32, 20), "sm_80"}})
        EXPECT_NE(error_of([&, &of = product, name = target] {
                      gpu_product(of, short_warp_schedule(), target::gpu_named(name));
                  }).find("warp_depth is 16"),
                  std::string::npos)
            << target;
}

TEST(GpuProduct, WarpsReadShortFragmentsWithoutConflicts) {
    const MatrixProduct product = short_product('N', 'T', 64, 64, 64, 0, Number::bfloat16);
    const GpuSchedule schedule = short_warp_schedule(
        "block_rows=64 block_columns=64 thread_rows=8 thread_columns=8 a_lanes=8 b_lanes=8");
    EXPECT_EQ(expect_product(product, schedule, {.reads_c = false}).bank_conflict_cycles(), 0);
}

TEST(GpuSchedules, OfShortNumbersHaveWarpsMultiplyWhereTilesDoNot) {
    for (const Integer n : {256, 1024, 4096}) {
        const MatrixProduct product = short_product('N', 'T', n, n, n, 0, Number::bfloat16);
        EXPECT_EQ(gpu_schedules(product, target::gpu_named("sm_80"), 1).front().warp_depth, 16);
        EXPECT_TRUE(n == 256 || gpu_schedules(product, gpu(), 1).front().has_tiles());
        const MatrixProduct unaligned = short_product('N', 'T', n, n, n, 1, Number::bfloat16);
        EXPECT_EQ(gpu_schedules(unaligned, gpu(), 1).front().warp_depth, 16);
    }
}

TEST(GpuProduct, WarpsMultiplyOnEarlierGpusInSmallerProducts) {
    const target::Gpu& earlier = target::gpu_named("sm_80");
    const MatrixProduct product = product_of('N', 'N', 64, 32, 20, 0, Number::float64);
    const ir::Program program = gpu_product(product, warp_schedule(), earlier).front();
    bool found = false;
    for (const ir::Operation& operation : program.operations)
        found = found || (operation.opcode == ir::Opcode::instruction &&
                          operation.instruction == &target::warp_product_of_float64({8, 8, 4}));
    EXPECT_TRUE(found);
    expect_product(product, warp_schedule(), {}, earlier);
    EXPECT_NE(error_of([&] {
                  gpu_product(product, warp_schedule("warp_depth=8 block_depth=16"), earlier);
              }).find("warp_depth is 8"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                  gpu_product(product_of('N', 'N', 64, 32, 20), warp_schedule(), gpu());
              }).find("numbers are float32"),
              std::string::npos);
}

TEST(GpuProduct, WarpsReadFragmentsWithoutConflicts) {
    for (const char a : {'N', 'T'}) {
        const MatrixProduct product = product_of(a, a == 'N' ? 'T' : 'N', 64, 64, 32, 0, Number::float64);
        const GpuSchedule schedule = warp_schedule(
            a == 'N'
                ? "block_rows=64 block_columns=64 thread_rows=4 thread_columns=4 block_depth=16 a_lanes=2 "
                  "b_lanes=2"
                : "block_rows=64 block_columns=64 thread_rows=4 thread_columns=4 block_depth=16");
        EXPECT_EQ(expect_product(product, schedule, {.reads_c = false}).bank_conflict_cycles(), 0) << a;
    }
    EXPECT_EQ(expect_product(product_of('T', 'N', 64, 64, 32, 0, Number::float64),
                             warp_schedule("block_rows=64 block_columns=64 thread_rows=4 thread_columns=4 "
                                           "block_depth=16 a_steps=2 b_steps=2"),
                             {.reads_c = false})
                  .bank_conflict_cycles(),
              0);
}

} // namespace
} // namespace swirl::gemm::test
