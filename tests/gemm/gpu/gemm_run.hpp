#pragma once

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/reference.hpp"
#include "ir/interpreter.hpp"
#include "support/kernel_sequence.hpp"

#include <gtest/gtest.h>

#include <random>

/// Products by the kernels of a schedule, interpreted and compared with the definition.
namespace swirl::gemm::test {

inline const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

inline SimtGemm simt_schedule_of(const std::string& text) {
    return std::get<SimtGemm>(parse_gpu_schedule(text));
}

/// K of the instruction of the first schedule, a SIMT one; 0 without mma.sync.
inline int mma_k_of(const std::vector<GpuGemmSchedule>& schedules) {
    return std::get<SimtGemm>(schedules.front()).mma_k();
}

struct Execution {
    bool multiplies = true;
    bool reads_c = true;
};

/// Numbers are small integers, halves and quarters: sums of products are exact. The report is the last kernel's.
inline ir::InterpreterReport expect_product(const MatrixProduct& product, const GpuGemmSchedule& schedule,
                                            const Execution& execution = {},
                                            const target::Gpu& device = gpu()) {
    support::KernelSequence kernels(gpu_gemm_kernels(product, schedule, device));
    std::mt19937 random(7);
    for (const char* name : {"a", "b", "alpha_beta"}) fill(kernels.memory(name), random);
    if (execution.reads_c) fill(kernels.memory("c"), random); // else it may not be read
    const ir::Memory before = kernels.memory("c");
    const std::vector<Integer> parameters = {execution.multiplies ? 1 : 0, execution.reads_c ? 1 : 0};
    const ir::InterpreterReport report =
        execution.multiplies ? kernels.run(parameters) : kernels.run_last(parameters);
    expect_gaps_kept(product, before, kernels.memory("c"));
    const Definition definition{product,
                                kernels.memory("a"),
                                kernels.memory("b"),
                                kernels.memory("alpha_beta"),
                                execution.reads_c ? &before : nullptr,
                                execution.multiplies};
    for (Integer matrix = 0; matrix < product.batch; ++matrix)
        for (Integer i = 0; i < product.rows; ++i)
            for (Integer j = 0; j < product.columns; ++j) {
                EXPECT_NEAR(static_cast<double>(element(kernels.memory("c"), product.c, matrix, i, j)),
                            static_cast<double>(definition.at(matrix, i, j)),
                            static_cast<double>(tolerance(product.data_type, product.k)))
                    << to_string(schedule) << ": " << matrix << ", " << i << ", " << j;
                if (::testing::Test::HasFailure()) return report;
            }
    return report;
}

/// By letters of the BLAS, stored by columns, columns so much longer than they need.
inline MatrixProduct product_of(char a, char b, Integer rows, Integer columns, Integer k, Integer more = 0,
                                DataType data_type = DataType::float32) {
    const auto layout = [&](char letter, Integer r, Integer c) {
        return letter == 'N' ? MatrixLayout{1, r + more} : MatrixLayout{c + more, 1};
    };
    return {.data_type = data_type,
            .rows = rows,
            .columns = columns,
            .k = k,
            .a = layout(a, rows, k),
            .b = layout(b, k, columns),
            .c = {1, rows + more}};
}

} // namespace swirl::gemm::test
