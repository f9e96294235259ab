// Products of complex numbers on GPUs, in the interpreter.

#include "../support/error_of.hpp"
#include "gemm/gpu_model.hpp"
#include "gemm/gpu_product.hpp"
#include "reference.hpp"
#include "support/kernel_sequence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace swirl::gemm::test {
namespace {

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

Complex element(const ir::Memory& memory, const MatrixProduct& product, const MatrixLayout& layout,
                Integer matrix, Integer i, Integer j) {
    const Complex found =
        number_at(memory, product.number,
                  matrix * layout.batch_stride + i * layout.row_stride + j * layout.column_stride);
    return layout.conjugated ? std::conj(found) : found;
}

/// Numbers are small integers, halves and quarters: sums of products are exact but for those of α and β.
void expect_product(const MatrixProduct& product, const GpuSchedule& schedule, bool reads_c = true) {
    support::KernelSequence kernels(gpu_product(product, schedule, gpu()));
    const ir::Memory &a = kernels.memory("a"), &b = kernels.memory("b"), &c = kernels.memory("c");
    std::mt19937 random(7);
    for (const char* name : {"a", "b", "factors"}) fill(kernels.memory(name), random);
    if (reads_c) fill(kernels.memory("c"), random);
    const ir::Memory before = c;
    kernels.run({1, reads_c ? 1 : 0});
    const Complex alpha = number_at(kernels.memory("factors"), product.number, 0),
                  beta = number_at(kernels.memory("factors"), product.number, 1);
    for (Integer matrix = 0; matrix < product.batch; ++matrix)
        for (Integer i = 0; i < product.rows; ++i)
            for (Integer j = 0; j < product.columns; ++j) {
                Complex expected = 0;
                for (Integer k = 0; k < product.depth; ++k)
                    expected += element(a, product, product.a, matrix, i, k) *
                                element(b, product, product.b, matrix, k, j);
                expected *= alpha;
                if (reads_c) expected += beta * element(before, product, product.c, matrix, i, j);
                const Complex found = element(c, product, product.c, matrix, i, j);
                ASSERT_LT(std::abs(found - expected), 4 * tolerance(product.number, product.depth))
                    << to_string(schedule) << ": " << matrix << ", " << i << ", " << j;
            }
}

MatrixProduct product_of(Number number, char a, char b, Integer rows, Integer columns, Integer depth) {
    const auto layout = [&](char letter, Integer r, Integer c) {
        MatrixLayout result = letter == 'N' || letter == 'R' ? MatrixLayout{1, r} : MatrixLayout{c, 1};
        result.conjugated = letter == 'C' || letter == 'R';
        return result;
    };
    return {.number = number,
            .rows = rows,
            .columns = columns,
            .depth = depth,
            .a = layout(a, rows, depth),
            .b = layout(b, depth, columns),
            .c = {1, rows}};
}

/// N, T, C as in the BLAS, and R: conjugated, not transposed.
TEST(GpuComplexProduct, IsTheProductForEveryTransposition) {
    const GpuSchedule schedule = parse_gpu_schedule(
        "block_rows=32 block_columns=16 block_depth=4 thread_rows=4 thread_columns=4 lane_rows=8 "
        "lane_columns=4 stages=3 group=2");
    for (const Number number : {Number::complex32, Number::complex64})
        for (const char a : {'N', 'T', 'C', 'R'})
            for (const char b : {'N', 'T', 'C', 'R'})
                expect_product(product_of(number, a, b, 40, 33, 11), schedule, a != b);
}

TEST(GpuComplexProduct, TakesNumbersStraightFromMemory) {
    const GpuSchedule schedule = parse_gpu_schedule(
        "block_rows=8 block_columns=8 block_depth=4 thread_rows=4 thread_columns=2 lane_rows=2 "
        "lane_columns=4 "
        "direct=1");
    for (const Number number : {Number::complex64, Number::complex32})
        expect_product(product_of(number, 'C', 'R', 9, 10, 4), schedule);
}

TEST(GpuComplexProduct, HasTheSchedulesOfTheModel) {
    for (const Number number : {Number::complex32, Number::complex64})
        for (const auto& [rows, columns, depth] :
             {std::array<Integer, 3>{64, 48, 20}, {130, 66, 9}, {8, 8, 8}, {1, 1, 1}, {64, 8, 300}})
            for (const char a : {'N', 'C'}) {
                MatrixProduct product = product_of(number, a, 'N', rows, columns, depth);
                for (const GpuSchedule& schedule : gpu_schedules(product, gpu(), 3))
                    expect_product(product, schedule);
                product.c = {columns, 1};
                expect_product(product, gpu_schedules(product, gpu(), 1).front(), false);
            }
}

TEST(GpuComplexProduct, SharesDepthAndBlocks) {
    const std::string base =
        "block_rows=32 block_columns=16 block_depth=8 thread_rows=4 thread_columns=4 lane_rows=8 "
        "lane_columns=4 stages=3 ";
    for (const char* more :
         {"slices=2", "splits=2", "splits=4 slices=2 stages=4", "splits=2 through_memory=1",
          "splits=4 through_memory=1 stages=5", "stream_blocks=7", "stream_blocks=3 whole_tiles=1 slices=2"})
        for (const Number number : {Number::complex32, Number::complex64})
            expect_product(product_of(number, 'C', 'N', 40, 20, 128), parse_gpu_schedule(base + more));
    MatrixProduct batch = product_of(Number::complex32, 'N', 'R', 8, 8, 5);
    batch.batch = 7;
    batch.a.batch_stride = 40;
    batch.b.batch_stride = 40;
    batch.c.batch_stride = 64;
    expect_product(
        batch, parse_gpu_schedule("block_rows=8 block_columns=8 block_depth=4 thread_rows=2 thread_columns=2 "
                                  "lane_rows=4 lane_columns=4 stages=2 matrices=4"));
}

TEST(GpuComplexProduct, HasNoEpilogues) {
    MatrixProduct product = product_of(Number::complex32, 'N', 'N', 64, 64, 64);
    product.epilogue = Expression("2 * x");
    EXPECT_NE(error_of([&] { gpu_schedules(product, gpu(), 1); }).find("an epilogue of complex32"),
              std::string::npos);
}

} // namespace
} // namespace swirl::gemm::test
