// GEMM on a real GPU: low-precision types and epilogues.

#include <swirl/half.hpp>
#include <swirl/swirl.hpp>

#include "support/first_gpu.hpp"
#include "support/gpu_schedules.hpp"
#include "support/padded_product.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace swirl {
namespace matrix_data_types_test {

class MatrixDataTypesOnGpu : public support::FirstGpu {};

/// Plans that are compared with the definition, by each schedule that the model likes.
void expect_plans(const MatrixProduct& product, std::size_t most = 6) {
    for (const std::string& schedule : swirl::gpu_schedules(product, most))
        EXPECT_NO_THROW(swirl::plan(
            product,
            {.device = Device::gpu(), .schedule = schedule, .use_wisdom = false, .use_kernel_cache = false}))
            << product.epilogue.text() << " by " << schedule;
}

TEST_F(MatrixDataTypesOnGpu, EpiloguesAreTheirExpressions) {
    for (const char* expression :
         {"x + bias[i]", "max(0, x * scale[j] + bias[i])", "x + residual[j,i] * w[b]",
          "gelu(x) + tanh(bias[j])", "i < j ? x : i * 0.5", "x * 2 + residual[i,j]"})
        for (const DataType data_type : {DataType::float32, DataType::float64})
            for (const bool by_rows : {false, true}) {
                MatrixProduct product = by_rows ? MatrixProduct::row_major(data_type, 200, 136, 70)
                                                : MatrixProduct::column_major(data_type, 200, 136, 70);
                product.epilogue = Expression(expression);
                expect_plans(product);
            }
    MatrixProduct small = MatrixProduct::column_major(DataType::float32, 8, 8, 8);
    small.batch = 1000;
    small.a.batch_stride = small.b.batch_stride = small.c.batch_stride = 64;
    small.epilogue = Expression("x * w[b] + bias[b,i]");
    expect_plans(small);
    MatrixProduct deep = MatrixProduct::column_major(DataType::float32, 64, 64, 50000);
    deep.epilogue = Expression("x + bias[i]");
    expect_plans(deep);
}

/// By tiles where the GPU has them, that reach beyond C, and by threads.
TEST_F(MatrixDataTypesOnGpu, EpiloguesOfLowPrecisionAreTheirExpressions) {
    for (const char* expression : {"max(0, x * scale[j] + bias[i])", "gelu(x + bias[i])",
                                   "x + residual[i,j] * w[b]", "x + residual[j,i] * i"})
        for (const auto& [rows, columns] : {std::array<Integer, 2>{1000, 520}, {333, 700}})
            for (const bool by_rows : {false, true}) {
                MatrixProduct product = support::padded_low_precision_product(by_rows, rows, columns, 1024);
                product.epilogue = Expression(expression);
                expect_plans(product, 1);
            }
}

TEST_F(MatrixDataTypesOnGpu, LowPrecisionOperandsAreWidened) {
    for (const DataType data_type : {DataType::bfloat16, DataType::float16})
        for (const bool by_rows : {false, true})
            for (const auto& [rows, columns, k_extent] :
                 {std::array<Integer, 3>{256, 192, 128}, {33, 57, 19}, {64, 64, 20000}}) {
                MatrixProduct product =
                    by_rows ? MatrixProduct::row_major(DataType::float32, rows, columns, k_extent)
                            : MatrixProduct::column_major(DataType::float32, rows, columns, k_extent);
                product.a_type = product.b_type = data_type;
                expect_plans(product);
                std::swap(product.a.row_stride,
                          product.a.column_stride); // whose elements may overlap
                product.c_type = data_type;
                expect_plans(product);
            }
}

/// Small integers: sums are exact, and what is stored is their rounding.
TEST_F(MatrixDataTypesOnGpu, EveryElementIsRoundedOnce) {
    constexpr Integer rows = 130, columns = 94, k_extent = 61;
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, rows, columns, k_extent);
    product.a_type = product.b_type = product.c_type = DataType::bfloat16;
    product.epilogue = Expression("max(0, x + bias[i])");
    std::mt19937 random(3);
    std::uniform_int_distribution<int> uniform(-20, 20);
    const auto filled = [&](Integer count) {
        std::vector<bfloat16> values;
        for (Integer k = 0; k < count; ++k) values.emplace_back(static_cast<float>(uniform(random)));
        return values;
    };
    const std::vector<bfloat16> a = filled(rows * k_extent), b = filled(k_extent * columns);
    std::vector<float> bias;
    for (Integer i = 0; i < rows; ++i) bias.push_back(static_cast<float>(uniform(random)));
    const gpu::Array<bfloat16> there_a(a), there_b(b), there_c(static_cast<std::size_t>(rows * columns));
    const gpu::Array<float> there_bias(bias);
    swirl::plan(product, {.device = Device::gpu(), .use_wisdom = false, .use_kernel_cache = false})
        .with("bias", there_bias.data())
        .execute(1, there_a.data(), there_b.data(), 0, there_c.data());
    std::vector<bfloat16> c(static_cast<std::size_t>(rows * columns));
    there_c.copy_to(c);
    for (Integer j = 0; j < columns; ++j)
        for (Integer i = 0; i < rows; ++i) {
            float sum = bias[static_cast<std::size_t>(i)];
            for (Integer k = 0; k < k_extent; ++k)
                sum +=
                    a[static_cast<std::size_t>(i + k * rows)] * b[static_cast<std::size_t>(k + j * k_extent)];
            ASSERT_EQ(c[static_cast<std::size_t>(i + j * rows)].bits, bfloat16(std::max(0.0F, sum)).bits)
                << i << ", " << j;
        }
}

} // namespace matrix_data_types_test
} // namespace swirl
