// Products of complex numbers on GPUs, in the interpreter.

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/reference.hpp"
#include "support/error_of.hpp"
#include "support/kernel_sequence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace swirl::gemm::test {
namespace complex_test {

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

Complex element(const ir::Memory& memory, const MatrixProduct& product, const MatrixLayout& layout,
                Integer matrix, Integer i, Integer j) {
    const Complex found =
        element_at(memory, product.data_type,
                   matrix * layout.batch_stride + i * layout.row_stride + j * layout.column_stride);
    return layout.conjugated ? std::conj(found) : found;
}

/// Numbers are small integers, halves and quarters: sums of products are exact but for those of α and β.
void expect_product(const MatrixProduct& product, const GpuGemmSchedule& schedule, bool reads_c = true) {
    support::KernelSequence kernels(gpu_gemm_kernels(product, schedule, gpu()));
    const ir::Memory &a = kernels.memory("a"), &b = kernels.memory("b"), &c = kernels.memory("c");
    std::mt19937 random(7);
    for (const char* name : {"a", "b", "alpha_beta"}) fill(kernels.memory(name), random);
    if (reads_c) fill(kernels.memory("c"), random);
    const ir::Memory before = c;
    kernels.run({1, reads_c ? 1 : 0});
    const Complex alpha = element_at(kernels.memory("alpha_beta"), product.data_type, 0),
                  beta = element_at(kernels.memory("alpha_beta"), product.data_type, 1);
    for (Integer matrix = 0; matrix < product.batch; ++matrix)
        for (Integer i = 0; i < product.rows; ++i)
            for (Integer j = 0; j < product.columns; ++j) {
                Complex expected = 0;
                for (Integer k = 0; k < product.k; ++k)
                    expected += element(a, product, product.a, matrix, i, k) *
                                element(b, product, product.b, matrix, k, j);
                expected *= alpha;
                if (reads_c) expected += beta * element(before, product, product.c, matrix, i, j);
                const Complex found = element(c, product, product.c, matrix, i, j);
                ASSERT_LT(std::abs(found - expected), 4 * tolerance(product.data_type, product.k))
                    << to_string(schedule) << ": " << matrix << ", " << i << ", " << j;
            }
}

MatrixProduct product_of(DataType data_type, char a, char b, Integer rows, Integer columns, Integer k) {
    const auto layout = [&](char letter, Integer r, Integer c) {
        MatrixLayout result = letter == 'N' || letter == 'R' ? MatrixLayout{1, r} : MatrixLayout{c, 1};
        result.conjugated = letter == 'C' || letter == 'R';
        return result;
    };
    return {.data_type = data_type,
            .rows = rows,
            .columns = columns,
            .k = k,
            .a = layout(a, rows, k),
            .b = layout(b, k, columns),
            .c = {1, rows}};
}

/// N, T, C as in the BLAS, and R: conjugated, not transposed.
TEST(GpuComplexProduct, IsTheProductForEveryTransposition) {
    const GpuGemmSchedule schedule = parse_gpu_schedule(
        "cta_m=32 cta_n=16 cta_k=4 thread_m=4 thread_n=4 warp_lanes_m=8 "
        "warp_lanes_n=4 stages=3 raster_group=2");
    for (const DataType data_type : {DataType::complex64, DataType::complex128})
        for (const char a : {'N', 'T', 'C', 'R'})
            for (const char b : {'N', 'T', 'C', 'R'})
                expect_product(product_of(data_type, a, b, 40, 33, 11), schedule, a != b);
}

TEST(GpuComplexProduct, LoadsOperandsFromGlobalMemory) {
    const GpuGemmSchedule schedule = parse_gpu_schedule(
        "cta_m=8 cta_n=8 cta_k=4 thread_m=4 thread_n=2 warp_lanes_m=2 "
        "warp_lanes_n=4 "
        "a_load=global b_load=global");
    for (const DataType data_type : {DataType::complex128, DataType::complex64})
        expect_product(product_of(data_type, 'C', 'R', 9, 10, 4), schedule);
}

TEST(GpuComplexProduct, HasTheSchedulesOfTheModel) {
    for (const DataType data_type : {DataType::complex64, DataType::complex128})
        for (const auto& [rows, columns, k_extent] :
             {std::array<Integer, 3>{64, 48, 20}, {130, 66, 9}, {8, 8, 8}, {1, 1, 1}, {64, 8, 300}})
            for (const char a : {'N', 'C'}) {
                MatrixProduct product = product_of(data_type, a, 'N', rows, columns, k_extent);
                for (const GpuGemmSchedule& schedule : gpu_schedules(product, gpu(), 3))
                    expect_product(product, schedule);
                product.c = {columns, 1};
                expect_product(product, gpu_schedules(product, gpu(), 1).front(), false);
            }
}

TEST(GpuComplexProduct, SplitsAndSlicesK) {
    const std::string base =
        "cta_m=32 cta_n=16 cta_k=8 thread_m=4 thread_n=4 warp_lanes_m=8 "
        "warp_lanes_n=4 stages=3 ";
    for (const char* more : {"sliced_k=2", "split_k=2", "split_k=4 sliced_k=2 stages=4",
                             "split_k=2 split_k_in_workspace=1", "split_k=4 split_k_in_workspace=1 stages=5",
                             "stream_k_blocks=7", "stream_k_blocks=3 data_parallel_tiles=1 sliced_k=2"})
        for (const DataType data_type : {DataType::complex64, DataType::complex128})
            expect_product(product_of(data_type, 'C', 'N', 40, 20, 128), parse_gpu_schedule(base + more));
    MatrixProduct batch = product_of(DataType::complex64, 'N', 'R', 8, 8, 5);
    batch.batch = 7;
    batch.a.batch_stride = 40;
    batch.b.batch_stride = 40;
    batch.c.batch_stride = 64;
    expect_product(batch, parse_gpu_schedule("cta_m=8 cta_n=8 cta_k=4 thread_m=2 thread_n=2 "
                                             "warp_lanes_m=4 warp_lanes_n=4 stages=2 matrices=4"));
}

TEST(GpuComplexProduct, HasNoEpilogues) {
    MatrixProduct product = product_of(DataType::complex64, 'N', 'N', 64, 64, 64);
    product.epilogue = Expression("2 * x");
    EXPECT_NE(error_of([&] { gpu_schedules(product, gpu(), 1); }).find("no epilogue for complex64"),
              std::string::npos);
}

} // namespace complex_test
} // namespace swirl::gemm::test
