#include "gemm/gpu/simt/global_operands.hpp"

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/gemm_run.hpp"
#include "gemm/gpu/model/model.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace global_operands_test {

/// Of so deep products; threads have 4 × 2 elements of tiles of 8 × 8.
SimtGemm direct_schedule(Integer k, const std::string& more = "") {
    SimtGemm schedule = simt_schedule_of(
        "cta_m=8 cta_n=8 thread_m=4 thread_n=2 warp_lanes_m=2 warp_lanes_n=4 stages=2 "
        "a_load=global b_load=global " +
        more);
    schedule.cta_tile.k = static_cast<int>(k);
    return schedule;
}

MatrixProduct batch_of(MatrixProduct product, Integer batch) {
    product.batch = batch;
    product.a.batch_stride = product.rows * product.k;
    product.b.batch_stride = product.k * product.columns;
    product.c.batch_stride = product.rows * product.columns;
    return product;
}

TEST(GpuDirect, IsTheProductForEveryTranspositionAndRemainder) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'})
            for (const auto& [rows, columns, k_extent] :
                 {std::array{8, 8, 8}, {9, 13, 5}, {15, 8, 2}, {24, 17, 6}})
                expect_product(product_of(a, b, rows, columns, k_extent), direct_schedule(k_extent));
}

TEST(GpuDirect, LoadsVectorsAlongMnAndK) {
    for (const DataType data_type : {DataType::float32, DataType::float64}) {
        const std::string lanes = data_type == DataType::float32 ? "4" : "2";
        expect_product(
            product_of('N', 'N', 16, 12, 8, 4, data_type),
            direct_schedule(8, "a_vector_m=" + lanes + " b_vector_k=" + lanes + " c_vector_m=" + lanes));
        expect_product(product_of('T', 'T', 16, 12, 8, 4, data_type),
                       direct_schedule(8, "a_vector_k=" + lanes + " b_vector_n=" + lanes));
        expect_product(product_of('T', 'N', 16, 12, 8, 4, data_type),
                       direct_schedule(8, "sliced_k=2 a_vector_k=2 b_vector_k=2"));
    }
}

TEST(GpuDirect, HasMatricesOfABatchInABlock) {
    for (const Integer batch : {3, 8, 9})
        expect_product(batch_of(product_of('N', 'N', 8, 8, 4), batch),
                       direct_schedule(4, "matrices=4 a_vector_m=4 b_vector_k=4 c_vector_m=4"));
}

TEST(GpuDirect, HasLowPrecisionOperands) {
    MatrixProduct narrow = product_of('N', 'N', 16, 8, 8);
    narrow.a_type = DataType::bfloat16;
    narrow.b_type = DataType::int8;
    expect_product(narrow, direct_schedule(8, "a_vector_m=8 b_vector_k=8"));
}

/// Adjacent matrices have kernels of their own (gemm/gpu/batched/kernel.hpp).
TEST(GpuDirect, ModelChoosesItForSmallBatchedProductsWithGaps) {
    for (const Integer n : {4, 7, 8, 16}) {
        MatrixProduct product = batch_of(product_of('N', 'N', n, n, n), 10000);
        product.c.batch_stride += 4;
        const auto schedules = gpu_schedules(product, gpu(), 1);
        const SimtGemm& first = std::get<SimtGemm>(schedules.at(0));
        EXPECT_TRUE(first.loads_from_global()) << n;
        EXPECT_GT(2 * first.cta_tile.m, n);
    }
    MatrixProduct larger = batch_of(product_of('N', 'N', 32, 32, 32), 10000);
    larger.c.batch_stride += 4;
    const auto schedules = gpu_schedules(larger, gpu(), 1);
    EXPECT_FALSE(std::get<SimtGemm>(schedules.at(0)).loads_from_global());
}

TEST(GpuDirect, IsRefusedWithItsReason) {
    const auto why = [](const SimtGemm& schedule) {
        return global_load_infeasibility(schedule, product_of('N', 'N', 16, 16, 8));
    };
    EXPECT_EQ(why(direct_schedule(8)), "");
    EXPECT_NE(why(direct_schedule(4)).find("K, 8, is possible"), std::string::npos);
    EXPECT_NE(why(direct_schedule(8, "split_k=2")).find("split_k=1"), std::string::npos);
    EXPECT_NE(why(direct_schedule(8, "a_load=tma")).find("a_load and b_load differ"), std::string::npos);
    SimtGemm deep = direct_schedule(64);
    EXPECT_NE(global_load_infeasibility(deep, product_of('N', 'N', 16, 16, 64)).find("384 elements"),
              std::string::npos);
}

} // namespace global_operands_test
} // namespace swirl::gemm::test
