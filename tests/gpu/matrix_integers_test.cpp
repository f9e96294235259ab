// GEMM on a real GPU: integer and complex types.

#include <swirl/normalised.hpp>
#include <swirl/swirl.hpp>

#include "support/first_gpu.hpp"
#include "support/gpu_schedules.hpp"

#include <complex>
#include <random>
#include <string>
#include <vector>

namespace swirl {
namespace matrix_integers_test {

class MatrixIntegersOnGpu : public support::FirstGpu {};

/// Plans that are compared with the definition, by each schedule that the model likes.
void expect_plans(const MatrixProduct& product, std::size_t most = 4) {
    for (const std::string& schedule : swirl::gpu_schedules(product, most))
        EXPECT_NO_THROW(swirl::plan(
            product,
            {.device = Device::gpu(), .schedule = schedule, .use_wisdom = false, .use_kernel_cache = false}))
            << schedule;
}

TEST_F(MatrixIntegersOnGpu, AreWidenedAndStored) {
    for (const DataType data_type : {DataType::int8, DataType::uint8, DataType::unorm8, DataType::snorm8,
                                     DataType::unorm16, DataType::snorm16})
        for (const bool by_rows : {false, true})
            for (const DataType to : {DataType::float32, data_type}) {
                MatrixProduct product = by_rows ? MatrixProduct::row_major(DataType::float32, 256, 192, 128)
                                                : MatrixProduct::column_major(DataType::float32, 130, 94, 61);
                product.a_type = product.b_type = data_type;
                product.c_type = to;
                expect_plans(product);
                product.b_type = DataType::float32;
                expect_plans(product);
            }
}

/// Integer sums are exact: results equal the host's bit for bit.
TEST_F(MatrixIntegersOnGpu, SumsOfBytesAreExact) {
    constexpr Integer n = 128;
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, n, n, n);
    product.a_type = DataType::int8;
    product.b_type = DataType::uint8;
    std::mt19937 random(3);
    std::uniform_int_distribution<int> byte(0, 255);
    std::vector<std::int8_t> a;
    std::vector<std::uint8_t> b;
    for (Integer k = 0; k < n * n; ++k) {
        a.push_back(static_cast<std::int8_t>(byte(random) - 128));
        b.push_back(static_cast<std::uint8_t>(byte(random)));
    }
    const gpu::Array<std::int8_t> there_a(a);
    const gpu::Array<std::uint8_t> there_b(b);
    const gpu::Array<float> there_c(n * n);
    swirl::plan(product, {.device = Device::gpu(), .use_wisdom = false, .use_kernel_cache = false})
        .execute(0.25F, there_a.data(), there_b.data(), 0, there_c.data());
    std::vector<float> c(n * n);
    there_c.copy_to(c);
    for (Integer j = 0; j < n; ++j)
        for (Integer i = 0; i < n; ++i) {
            int sum = 0;
            for (Integer k = 0; k < n; ++k)
                sum += a[static_cast<std::size_t>(i + k * n)] * b[static_cast<std::size_t>(k + j * n)];
            ASSERT_EQ(c[static_cast<std::size_t>(i + j * n)], 0.25F * static_cast<float>(sum))
                << i << ", " << j;
        }
}

TEST_F(MatrixIntegersOnGpu, ComplexProductsAreTheirDefinition) {
    for (const DataType data_type : {DataType::complex64, DataType::complex128})
        for (int kind = 0; kind < 16; ++kind) {
            MatrixProduct product = MatrixProduct::column_major(data_type, 132, 100, 68);
            if (kind & 1) product.a = {68, 1};
            if (kind & 2) product.b = {100, 1};
            product.a.conjugated = (kind & 4) != 0;
            product.b.conjugated = (kind & 8) != 0;
            expect_plans(product, 2);
        }
    expect_plans(MatrixProduct::column_major(DataType::complex64, 1024, 1024, 512));
    expect_plans(MatrixProduct::column_major(DataType::complex128, 64, 64, 20000));
    MatrixProduct batch = MatrixProduct::row_major(DataType::complex64, 8, 8, 8);
    batch.batch = 1000;
    batch.a.batch_stride = batch.b.batch_stride = batch.c.batch_stride = 64;
    expect_plans(batch);
}

} // namespace matrix_integers_test
} // namespace swirl
