#include "gemm/gpu/batched/kernel.hpp"

#include "gemm/gpu/gemm_run.hpp"
#include "gemm/gpu/model/model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

namespace swirl::gemm::test {
namespace batched_test {

GpuGemmSchedule schedule_of(int thread_m, int thread_n, int matrices) {
    return parse_gpu_schedule(
        fmt::format("batched thread_m={} thread_n={} matrices={}", thread_m, thread_n, matrices));
}

MatrixProduct batch_of(MatrixProduct product, Integer batch) {
    product.batch = batch;
    product.a.batch_stride = product.rows * product.k;
    product.b.batch_stride = product.k * product.columns;
    product.c.batch_stride = product.rows * product.columns;
    return product;
}

std::string infeasibility_of(const MatrixProduct& product, const GpuGemmSchedule& schedule) {
    return infeasibility(schedule, product, gpu()).value_or("");
}

TEST(BatchedGemm, IsTheProductForEveryTranspositionAndRemainder) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'})
            for (const auto& [rows, columns, k] :
                 {std::array{8, 8, 8}, {9, 13, 5}, {6, 7, 3}, {12, 6, 20}, {17, 16, 1}})
                expect_product(batch_of(product_of(a, b, rows, columns, k), 5), schedule_of(4, 3, 2));
}

TEST(BatchedGemm, LoadsVectorsAlongMnAndK) {
    for (const DataType data_type : {DataType::float32, DataType::float64})
        for (const char a : {'N', 'T'})
            for (const char b : {'N', 'T'})
                expect_product(batch_of(product_of(a, b, 8, 12, 16, 0, data_type), 3), schedule_of(4, 4, 2));
}

/// Ranges of 25, 50, … elements begin anywhere in a chunk of four.
TEST(BatchedGemm, MovesChunksWhereverRangesBegin) {
    for (const int matrices : {1, 2, 3, 4})
        for (const Integer batch : {4, 5, 7, 8})
            expect_product(batch_of(product_of('N', 'N', 5, 5, 5), batch), schedule_of(2, 3, matrices));
    expect_product(batch_of(product_of('N', 'T', 3, 5, 7), 6), schedule_of(3, 2, 3));
    expect_product(batch_of(product_of('N', 'N', 5, 5, 5, 0, DataType::float64), 5), schedule_of(2, 3, 1));
}

TEST(BatchedGemm, HasALoopOverLongK) {
    expect_product(batch_of(product_of('N', 'N', 16, 16, 150), 2), schedule_of(8, 8, 1));
    expect_product(batch_of(product_of('T', 'N', 16, 24, 151), 2), schedule_of(8, 8, 2));
}

TEST(BatchedGemm, BetaZeroSkipsCAndAlphaZeroSkipsOperands) {
    const MatrixProduct product = batch_of(product_of('N', 'N', 7, 7, 7), 5);
    for (const bool multiplies : {false, true})
        for (const bool reads_c : {false, true})
            expect_product(product, schedule_of(3, 4, 2), {.multiplies = multiplies, .reads_c = reads_c});
}

TEST(BatchedGemm, SwapsOperandsWhereCHasContiguousColumns) {
    MatrixProduct product = batch_of(product_of('N', 'T', 6, 9, 4), 3);
    product.c = {9, 1, false, 54};
    expect_product(product, schedule_of(4, 2, 2));
}

/// Columns of an odd number of elements begin in different banks.
TEST(BatchedGemm, HasFewBankConflicts) {
    for (const Integer n : {19, 21, 23}) {
        const ir::InterpreterReport report =
            expect_product(batch_of(product_of('N', 'N', n, n, n), 8), schedule_of(4, 4, 4));
        Integer accesses = 0;
        for (const ir::AccessCounts& loads : report.loads) accesses += loads.accesses;
        EXPECT_LT(report.bank_conflict_cycles(), accesses / 2) << n;
    }
}

TEST(BatchedGemm, ModelChoosesItForSmallAdjacentMatrices) {
    for (const Integer n : {5, 9, 20, 40, 73}) {
        const auto schedules =
            gpu_schedules(batch_of(product_of('N', 'N', n, n, n), 3'000'000 / (n * n)), gpu(), 1);
        EXPECT_TRUE(is_batched(schedules.at(0))) << n << ": " << to_string(schedules.at(0));
    }
}

TEST(BatchedGemm, IsRefusedWithItsReason) {
    const MatrixProduct product = batch_of(product_of('N', 'N', 9, 9, 9), 10);
    EXPECT_EQ(infeasibility_of(product, schedule_of(3, 3, 4)), "");
    const auto expect_reason = [&](const MatrixProduct& refused, const GpuGemmSchedule& schedule,
                                   const char* reason) {
        EXPECT_NE(infeasibility_of(refused, schedule).find(reason), std::string::npos)
            << infeasibility_of(refused, schedule);
    };
    expect_reason(product, schedule_of(10, 3, 4), "thread_m is 10");
    expect_reason(product, schedule_of(3, 3, 11), "matrices is 11");
    MatrixProduct gaps = product;
    gaps.a.column_stride = 10;
    expect_reason(gaps, schedule_of(3, 3, 4), "not adjacent");
    gaps = product;
    gaps.b.batch_stride = 0;
    expect_reason(gaps, schedule_of(3, 3, 4), "not adjacent");
    MatrixProduct narrow = product;
    narrow.a_type = narrow.b_type = DataType::bfloat16;
    expect_reason(narrow, schedule_of(3, 3, 4), "bfloat16");
    expect_reason(batch_of(product_of('N', 'N', 1, 3, 1), 10), schedule_of(1, 1, 3), "multiples of 4");
}

} // namespace batched_test
} // namespace swirl::gemm::test
