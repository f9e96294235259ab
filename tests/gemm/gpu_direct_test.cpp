#include "gemm/gpu_direct.hpp"

#include "gemm/gpu_model.hpp"
#include "gemm/gpu_product.hpp"
#include "gpu_product_run.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace {

/// Of so deep products; threads have 4 × 2 elements of tiles of 8 × 8.
GpuSchedule direct_schedule(Integer depth, const std::string& more = "") {
    GpuSchedule schedule = parse_gpu_schedule(
        "block_rows=8 block_columns=8 thread_rows=4 thread_columns=2 lane_rows=2 lane_columns=4 stages=2 "
        "direct=1 " +
        more);
    schedule.block_depth = static_cast<int>(depth);
    return schedule;
}

MatrixProduct batch_of(MatrixProduct product, Integer batch) {
    product.batch = batch;
    product.a.batch_stride = product.rows * product.depth;
    product.b.batch_stride = product.depth * product.columns;
    product.c.batch_stride = product.rows * product.columns;
    return product;
}

TEST(GpuDirect, IsTheProductForEveryTranspositionAndRemainder) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'})
            for (const auto& [rows, columns, depth] :
                 {std::array{8, 8, 8}, {9, 13, 5}, {15, 8, 2}, {24, 17, 6}})
                expect_product(product_of(a, b, rows, columns, depth), direct_schedule(depth));
}

TEST(GpuDirect, MovesVectorsOfLinesAndOfSteps) {
    for (const Number number : {Number::float32, Number::float64}) {
        const std::string lanes = number == Number::float32 ? "4" : "2";
        expect_product(product_of('N', 'N', 16, 12, 8, 4, number),
                       direct_schedule(8, "a_lanes=" + lanes + " b_steps=" + lanes + " c_lanes=" + lanes));
        expect_product(product_of('T', 'T', 16, 12, 8, 4, number),
                       direct_schedule(8, "a_steps=" + lanes + " b_lanes=" + lanes));
        expect_product(product_of('T', 'N', 16, 12, 8, 4, number),
                       direct_schedule(8, "slices=2 a_steps=2 b_steps=2"));
    }
}

TEST(GpuDirect, HasMatricesOfABatchInABlock) {
    for (const Integer batch : {3, 8, 9})
        expect_product(batch_of(product_of('N', 'N', 8, 8, 4), batch),
                       direct_schedule(4, "matrices=4 a_lanes=4 b_steps=4 c_lanes=4"));
}

TEST(GpuDirect, HasNarrowNumbers) {
    MatrixProduct narrow = product_of('N', 'N', 16, 8, 8);
    narrow.a_number = Number::bfloat16;
    narrow.b_number = Number::int8;
    expect_product(narrow, direct_schedule(8, "a_lanes=8 b_steps=8"));
}

TEST(GpuDirect, IsWhatTheModelTakesForSmallProductsInBatches) {
    for (const Integer n : {4, 7, 8, 16}) {
        const auto schedules = gpu_schedules(batch_of(product_of('N', 'N', n, n, n), 10000), gpu(), 1);
        EXPECT_TRUE(schedules.at(0).is_direct()) << n;
        EXPECT_GT(2 * schedules.at(0).block_rows, n);
    }
    const auto schedules = gpu_schedules(batch_of(product_of('N', 'N', 32, 32, 32), 10000), gpu(), 1);
    EXPECT_FALSE(schedules.at(0).is_direct());
}

TEST(GpuDirect, IsRefusedWithItsReason) {
    const auto why = [](const GpuSchedule& schedule) {
        return objection_to_direct(schedule, product_of('N', 'N', 16, 16, 8));
    };
    EXPECT_EQ(why(direct_schedule(8)), "");
    EXPECT_NE(why(direct_schedule(4)).find("the depth, 8,"), std::string::npos);
    EXPECT_NE(why(direct_schedule(8, "splits=2")).find("blocks share"), std::string::npos);
    EXPECT_NE(why(direct_schedule(8, "a_bulk=1")).find("copy engine"), std::string::npos);
    EXPECT_NE(why(direct_schedule(8, "direct=2")).find("direct is 2"), std::string::npos);
    GpuSchedule deep = direct_schedule(64);
    EXPECT_NE(objection_to_direct(deep, product_of('N', 'N', 16, 16, 64)).find("384 numbers"),
              std::string::npos);
}

} // namespace
} // namespace swirl::gemm::test
