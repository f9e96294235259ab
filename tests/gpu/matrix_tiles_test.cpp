// GEMM on a real GPU by tensor cores: every element against float64 sums.

#include <swirl/half.hpp>
#include <swirl/swirl.hpp>

#include "ir/rounding.hpp"
#include "support/first_gpu.hpp"
#include "support/gpu_schedules.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace swirl {
namespace matrix_tiles_test {

class MatrixTilesOnGpu : public support::FirstGpu {
protected:
    void SetUp() override {
        FirstGpu::SetUp();
        if (IsSkipped()) return;
        MatrixProduct product = MatrixProduct::column_major(DataType::float32, 512, 512, 512);
        product.a_type = product.b_type = DataType::bfloat16;
        if (swirl::gpu_schedules(product, 1).front().starts_with("sm_90: simt"))
            GTEST_SKIP() << "no products of tiles on this GPU";
    }
};

Integer rounded_up(Integer extent, Integer unit) { return (extent + unit - 1) / unit * unit; }

/// By letters of the BLAS, columns begun at multiples of 16 bytes.
MatrixProduct product_of(char a, char b, Integer rows, Integer columns, Integer k, DataType operand_type) {
    const Integer unit = 16 / bytes_of(operand_type);
    const auto layout = [&](char letter, Integer r, Integer c) {
        return letter == 'N' ? MatrixLayout{1, rounded_up(r, unit)} : MatrixLayout{rounded_up(c, unit), 1};
    };
    MatrixProduct product;
    product.data_type = DataType::float32;
    if (operand_type != DataType::float32) product.a_type = product.b_type = operand_type;
    product.rows = rows;
    product.columns = columns;
    product.k = k;
    product.a = layout(a, rows, k);
    product.b = layout(b, k, columns);
    product.c = {1, rounded_up(rows, 4)};
    return product;
}

std::size_t count(const MatrixLayout& layout, Integer rows, Integer columns) {
    return static_cast<std::size_t>((rows - 1) * layout.row_stride + (columns - 1) * layout.column_stride +
                                    1);
}

/// The largest error of any element, relative to the magnitudes that its sum is of; infinite if something outside C was
/// written.
template <class T>
double largest_error(const Plan& plan, const std::vector<T>& a, const std::vector<T>& b, float beta,
                     std::size_t offset = 0) {
    const MatrixProduct& product = std::get<MatrixProduct>(plan.problem());
    std::vector<float> before(count(product.c, product.rows, product.columns) + offset);
    std::mt19937 random(11);
    for (float& value : before) value = static_cast<float>(random() % 17) - 8;
    const gpu::Array<T> there_a(a), there_b(b);
    const gpu::Array<float> there_c(before);
    plan.execute(1.5F, there_a.data() + offset, there_b.data(), beta, there_c.data() + offset);
    std::vector<float> after(before.size());
    there_c.copy_to(after);
    double worst = 0;
    std::vector<float> outside_c = after;
    for (Integer j = 0; j < product.columns; ++j)
        for (Integer i = 0; i < product.rows; ++i) {
            const auto at = static_cast<std::size_t>(i + j * product.c.column_stride) + offset;
            outside_c[at] = before[at];
            double sum = static_cast<double>(beta) * before[at], magnitude = std::abs(sum);
            for (Integer k = 0; k < product.k; ++k) {
                const auto in_a =
                    static_cast<std::size_t>(i * product.a.row_stride + k * product.a.column_stride);
                const auto in_b =
                    static_cast<std::size_t>(k * product.b.row_stride + j * product.b.column_stride);
                const double term = 1.5 * static_cast<double>(static_cast<float>(a[in_a + offset])) *
                                    static_cast<double>(static_cast<float>(b[in_b]));
                sum += term;
                magnitude += std::abs(term);
            }
            const double error = std::abs(after[at] - sum);
            worst = std::max(worst, std::isnan(error) ? HUGE_VAL
                                    : magnitude == 0  ? error
                                                      : error / magnitude);
        }
    return outside_c == before ? worst : HUGE_VAL;
}

template <class T> std::vector<T> random_values(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<T> result;
    for (std::size_t k = 0; k < size; ++k) result.push_back(static_cast<T>(uniform(random)));
    return result;
}

template <class T> void expect_products(DataType data_type, char a, char b) {
    for (const auto& [rows, columns, k_extent] :
         {std::array<Integer, 3>{256, 128, 64}, {1, 1, 1}, {130, 257, 65}, {61, 300, 777}, {300, 5, 128}}) {
        const MatrixProduct product = product_of(a, b, rows, columns, k_extent, data_type);
        const auto values_a = random_values<T>(count(product.a, rows, k_extent), 1);
        const auto values_b = random_values<T>(count(product.b, k_extent, columns), 2);
        for (const std::string& schedule : swirl::gpu_schedules(product, 24)) {
            if (schedule.starts_with("sm_90: simt")) continue;
            const Plan plan = swirl::plan(
                product,
                {.device = Device::gpu(), .schedule = schedule, .check = false, .use_kernel_cache = false});
            for (const float beta : {0.0F, -0.5F})
                EXPECT_LE(largest_error(plan, values_a, values_b, beta), 4e-7)
                    << a << b << " " << rows << ", " << columns << ", " << k_extent << " by " << schedule;
        }
    }
}

TEST_F(MatrixTilesOnGpu, AreProductsOfBfloat16) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'}) expect_products<bfloat16>(DataType::bfloat16, a, b);
}

TEST_F(MatrixTilesOnGpu, AreProductsOfFloat16) { expect_products<float16>(DataType::float16, 'N', 'T'); }

TEST_F(MatrixTilesOnGpu, AreProductsOfE4m3) {
    const MatrixProduct product = product_of('T', 'N', 200, 300, 500, DataType::float8_e4m3);
    const auto a = random_values<float8_e4m3>(count(product.a, 200, 500), 1);
    const auto b = random_values<float8_e4m3>(count(product.b, 500, 300), 2);
    // Tensor cores keep fewer digits of such sums.
    EXPECT_LE(
        largest_error(swirl::plan(product, {.device = Device::gpu(), .use_kernel_cache = false}), a, b, 1),
        1e-3);
}

TEST_F(MatrixTilesOnGpu, OtherE4m3IsMultipliedByThreads) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'}) {
            const MatrixProduct product = product_of(a, b, 200, 300, 500, DataType::float8_e4m3);
            const auto values_a = random_values<float8_e4m3>(count(product.a, 200, 500) + 1, 1);
            const auto values_b = random_values<float8_e4m3>(count(product.b, 500, 300), 2);
            const Plan plan = swirl::plan(product, {.device = Device::gpu(), .use_kernel_cache = false});
            EXPECT_LE(largest_error(plan, values_a, values_b, 1, 1), 4e-7) << a << b << ", unaligned";
        }
}

TEST_F(MatrixTilesOnGpu, KernelsForMisalignedMatricesAreChecked) {
    for (const DataType data_type : {DataType::float32, DataType::bfloat16})
        for (const std::string& schedule :
             swirl::gpu_schedules(product_of('N', 'N', 200, 300, 500, data_type), 8)) {
            const MatrixProduct product = product_of('N', 'N', 200, 300, 500, data_type);
            const Plan plan = swirl::plan(
                product, {.device = Device::gpu(), .schedule = schedule, .use_kernel_cache = false});
            const auto expect = [&]<class T>(T) {
                const auto values_a = random_values<T>(count(product.a, 200, 500) + 1, 1);
                const auto values_b = random_values<T>(count(product.b, 500, 300), 2);
                EXPECT_LE(largest_error(plan, values_a, values_b, 1, 1), 2e-6) << schedule;
            };
            if (data_type == DataType::float32)
                expect(float{});
            else
                expect(bfloat16{});
        }
}

template <class T> void expect_products_by_warps(DataType data_type) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'})
            for (const auto& [rows, columns, k_extent] :
                 {std::array<Integer, 3>{130, 257, 65}, {300, 70, 200}}) {
                const MatrixProduct product = product_of(a, b, rows, columns, k_extent, data_type);
                const auto values_a = random_values<T>(count(product.a, rows, k_extent) + 1, 1);
                const auto values_b = random_values<T>(count(product.b, k_extent, columns), 2);
                const Plan plan = swirl::plan(product, {.device = Device::gpu(),
                                                        .schedule = "sm_90: cta_m=64 cta_n=64 cta_k=64 "
                                                                    "thread_m=8 thread_n=8 sliced_k=2 "
                                                                    "mma_k=16 stages=3 copy_k=16",
                                                        .check = false,
                                                        .use_kernel_cache = false});
                for (const std::size_t offset : {0, 1})
                    EXPECT_LE(largest_error(plan, values_a, values_b, -0.5F, offset), 4e-7)
                        << a << b << " " << rows << ", " << columns << ", " << k_extent;
            }
}

TEST_F(MatrixTilesOnGpu, WarpsMultiplyBfloat16) { expect_products_by_warps<bfloat16>(DataType::bfloat16); }
TEST_F(MatrixTilesOnGpu, WarpsMultiplyFloat16) { expect_products_by_warps<float16>(DataType::float16); }

/// Fragments loaded as vectors of each operand's layout, with k-tiles that are all in flight and that are not.
TEST_F(MatrixTilesOnGpu, WarpsLoadFragmentsAsVectors) {
    struct Case {
        char a, b;
        const char* vectors;
    };
    for (const Case& each :
         {Case{'N', 'N', "a_vector_m=8 b_vector_k=8 c_vector_m=4"},
          Case{'N', 'T', "a_vector_m=8 b_vector_n=8 c_vector_m=4"},
          Case{'T', 'N', "a_vector_k=8 b_vector_k=8"}, Case{'T', 'T', "a_vector_k=8 b_vector_n=8"}})
        for (const Integer k : {72, 160, 400}) {
            const MatrixProduct product = product_of(each.a, each.b, 200, 104, k, DataType::float16);
            const Plan plan = swirl::plan(
                product,
                {.device = Device::gpu(),
                 .schedule = std::string("sm_90: simt cta_m=64 cta_n=32 cta_k=64 thread_m=4 thread_n=4 "
                                         "mma_k=16 sliced_k=2 stages=4 copy_k=16 ") +
                             each.vectors,
                 .check = false,
                 .use_kernel_cache = false});
            const auto a = random_values<float16>(count(product.a, 200, k), 1);
            const auto b = random_values<float16>(count(product.b, k, 104), 2);
            for (const float beta : {0.0F, 2.0F})
                EXPECT_LE(largest_error(plan, a, b, beta), 4e-7)
                    << each.a << each.b << " " << k << " " << beta;
        }
}

TEST_F(MatrixTilesOnGpu, ThreadsStoreCFromRegisters) {
    for (const auto& [rows, columns] : {std::pair<Integer, Integer>{128, 128}, {132, 70}, {384, 200}}) {
        const MatrixProduct product = product_of('N', 'T', rows, columns, 200, DataType::bfloat16);
        const auto a = random_values<bfloat16>(count(product.a, rows, 200), 1);
        const auto b = random_values<bfloat16>(count(product.b, 200, columns), 2);
        for (const char* tile :
             {"cta_m=64 cta_n=64 warpgroups=1", "cta_m=128 cta_n=128 warpgroups=2 cluster_m=2"}) {
            const Plan plan = swirl::plan(
                product, {.device = Device::gpu(),
                          .schedule = std::string("sm_90: wgmma cta_k=64 stages=3 epilogue_tile_m=0 ") + tile,
                          .check = false,
                          .use_kernel_cache = false});
            for (const float beta : {0.0F, 2.0F})
                EXPECT_LE(largest_error(plan, a, b, beta), 4e-7) << rows << " " << tile << " " << beta;
        }
    }
}

TEST_F(MatrixTilesOnGpu, UnalignedMatricesAreMultipliedByThreads) {
    const MatrixProduct product = product_of('N', 'N', 200, 300, 100, DataType::bfloat16);
    const auto a = random_values<bfloat16>(count(product.a, 200, 100) + 1, 1);
    const auto b = random_values<bfloat16>(count(product.b, 100, 300), 2);
    EXPECT_LE(
        largest_error(swirl::plan(product, {.device = Device::gpu(), .use_kernel_cache = false}), a, b, 1, 1),
        4e-7);
}

/// At, near and away from the midpoint of two TF32 values: a product with 1 exposes TMA's rounding.
TEST_F(MatrixTilesOnGpu, Tf32RoundsToTheNearestOfElevenBits) {
    constexpr Integer n = 256;
    std::vector<float> values = random_values<float>(n * n, 5);
    for (std::size_t k = 0; k < values.size(); k += 3) {
        const auto bits = std::bit_cast<std::uint32_t>(values[k]) & ~0x1fffU;
        values[k] = std::bit_cast<float>(bits + 0xfffU + static_cast<std::uint32_t>(k % 2 + k / 6 % 2));
    }
    std::vector<float> ones(n * n), found(n * n);
    for (std::size_t k = 0; k < n; ++k) ones[k * (n + 1)] = 1;
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'}) {
            const MatrixProduct product = product_of(a, b, n, n, n, DataType::float32);
            const Plan plan =
                swirl::plan(product, {.device = Device::gpu(),
                                      .schedule = "sm_90: wgmma cta_m=128 cta_n=128 cta_k=32 warpgroups=2 "
                                                  "stages=4 epilogue_tile_m=32 tf32=1",
                                      .check = false,
                                      .use_kernel_cache = false});
            const gpu::Array<float> device_values(values), there_ones(ones), there_c(found);
            for (const bool is_a : {true, false}) {
                plan.execute(1, is_a ? device_values.data() : there_ones.data(),
                             is_a ? there_ones.data() : device_values.data(), 0, there_c.data());
                there_c.copy_to(found);
                const MatrixLayout& layout = is_a ? product.a : product.b;
                for (Integer i = 0; i < n; ++i)
                    for (Integer j = 0; j < n; ++j) {
                        const auto at =
                            static_cast<std::size_t>(i * layout.row_stride + j * layout.column_stride);
                        ASSERT_EQ(static_cast<double>(found[static_cast<std::size_t>(i + j * n)]),
                                  ir::round_to_tf32(static_cast<double>(values[at])))
                            << a << b << is_a << ": " << i << ", " << j;
                    }
            }
        }
}

TEST_F(MatrixTilesOnGpu, AreProductsOfRoundedOperands) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'})
            for (const auto& [rows, columns, k_extent] :
                 {std::array<Integer, 3>{130, 257, 65}, {300, 70, 200}})
                for (const char* shape : {"cta_n=256", "cta_n=128 cluster_n=2"}) {
                    const MatrixProduct product =
                        product_of(a, b, rows, columns, k_extent, DataType::float32);
                    const auto values_a = random_values<float>(count(product.a, rows, k_extent), 1);
                    const auto values_b = random_values<float>(count(product.b, k_extent, columns), 2);
                    const Plan plan =
                        swirl::plan(product, {.device = Device::gpu(),
                                              .schedule = "sm_90: wgmma cta_m=128 cta_k=32 warpgroups=2 "
                                                          "stages=4 epilogue_tile_m=32 tf32=1 " +
                                                          std::string(shape),
                                              .check = false,
                                              .use_kernel_cache = false});
                    for (const float beta : {0.0F, -0.5F})
                        EXPECT_LE(largest_error(plan, values_a, values_b, beta), 0x1p-10)
                            << a << b << " " << rows << ", " << columns << ", " << k_extent << " " << shape;
                }
}

/// Random values; rows and columns scaled by 2^-40 to 2^40; sums with heavy cancellation.
TEST_F(MatrixTilesOnGpu, TermsHaveTheAccuracyThatIsAskedFor) {
    constexpr Integer rows = 200, columns = 150, k_extent = 2500;
    const MatrixProduct product = product_of('N', 'T', rows, columns, k_extent, DataType::float32);
    const auto a = random_values<float>(count(product.a, rows, k_extent), 1);
    const auto b = random_values<float>(count(product.b, k_extent, columns), 2);
    auto scaled_a = a, scaled_b = b, cancelling_a = a;
    for (std::size_t k = 0; k < a.size(); ++k) {
        scaled_a[k] = std::ldexp(a[k], static_cast<int>(k * 7 % 81) - 40);
        if (k / 200 % 2 == 1) cancelling_a[k] = -cancelling_a[k - 200] * 0.99F;
    }
    for (std::size_t k = 0; k < b.size(); ++k)
        scaled_b[k] = std::ldexp(b[k], static_cast<int>(k * 5 % 81) - 40);
    for (const auto& [accuracy, allowed] : {std::pair(Accuracy::ordinary, 2.4e-7),
                                            {Accuracy::ordinary_in_range, 2.4e-7},
                                            {Accuracy::reduced, 0x1p-16},
                                            {Accuracy::eleven_bits, 0x1p-10},
                                            {Accuracy::low, 0x1p-7}}) {
        int by_tiles = 0;
        for (const std::string& schedule : swirl::gpu_schedules(product, 1000, accuracy)) {
            if (schedule.starts_with("sm_90: simt") || ++by_tiles > 4) continue;
            const Plan plan = swirl::plan(
                product,
                {.device = Device::gpu(), .schedule = schedule, .check = false, .use_kernel_cache = false});
            EXPECT_LE(largest_error(plan, a, b, 1), allowed) << schedule;
            EXPECT_LE(largest_error(plan, scaled_a, scaled_b, 0), allowed) << schedule;
            EXPECT_LE(largest_error(plan, cancelling_a, b, 0), allowed) << schedule;
        }
        EXPECT_GT(by_tiles, 0);
    }
}

/// What multiply-adds give, and infinities and NaN where these have them.
void expect_like_threads(const std::vector<float>& a, const std::vector<float>& b, const std::string& what) {
    constexpr Integer rows = 300, columns = 200, k_extent = 500;
    const MatrixProduct product = product_of('N', 'T', rows, columns, k_extent, DataType::float32);
    std::vector<std::vector<float>> results;
    bool has_both[] = {false, false};
    for (const std::string& schedule : swirl::gpu_schedules(product, 1000)) {
        const bool has_range_check = schedule.find("range_check=1") != std::string::npos;
        if (std::exchange(has_both[has_range_check], true)) continue;
        const Plan plan =
            swirl::plan(product, {.device = Device::gpu(), .schedule = schedule, .use_kernel_cache = false});
        const gpu::Array<float> there_a(a), there_b(b);
        std::vector<float> c(count(product.c, rows, columns), 1);
        const gpu::Array<float> there_c(c);
        for (int execution = 0; execution < 2; ++execution) // what the first one found is forgotten
            plan.execute(1, there_a.data(), there_b.data(), execution == 0 ? 1.0F : 0.0F, there_c.data());
        there_c.copy_to(c);
        results.push_back(c);
    }
    ASSERT_EQ(results.size(), 2U);
    for (Integer j = 0; j < columns; ++j)
        for (Integer i = 0; i < rows; ++i) {
            const auto at = static_cast<std::size_t>(i + j * product.c.column_stride);
            const float x = results[0][at], y = results[1][at];
            float magnitude = 0;
            for (Integer k = 0; k < k_extent; ++k)
                magnitude += std::abs(
                    a[static_cast<std::size_t>(i * product.a.row_stride + k * product.a.column_stride)] *
                    b[static_cast<std::size_t>(k * product.b.row_stride + j * product.b.column_stride)]);
            const bool is_same = x == y || (std::isnan(x) && std::isnan(y)) ||
                                 std::abs(x - y) <= magnitude * 1e-6F + 500 * 0x1p-149F;
            ASSERT_TRUE(is_same) << what << " at " << i << ", " << j << ": " << x << ", " << y;
        }
}

TEST_F(MatrixTilesOnGpu, EveryInputIsMultiplied) {
    const MatrixProduct product = product_of('N', 'T', 300, 200, 500, DataType::float32);
    const auto a = random_values<float>(count(product.a, 300, 500), 1);
    const auto b = random_values<float>(count(product.b, 500, 200), 2);
    expect_like_threads(a, b, "usual numbers");
    for (const float value : {0.0F, HUGE_VALF, -HUGE_VALF, std::nanf(""), 1e-40F, 1e-45F, 1e38F, 3.4e38F,
                              -3.4e38F, 0x1p-103F, 0x1p-104F, 0x1p40F}) {
        auto other_a = a, other_b = b;
        other_a[4321] = value;
        expect_like_threads(other_a, b, "A with " + std::to_string(value));
        other_b[1234] = value;
        expect_like_threads(a, other_b, "B with " + std::to_string(value));
        expect_like_threads(other_a, other_b, "both with " + std::to_string(value));
    }
    for (const int exponent :
         {30, 60, 73, 120}) { // sums of 2^-146, with all kinds of digits below float32's last
        auto small = a, other = b;
        for (float& x : small) x = std::ldexp(x, -exponent);
        for (float& x : other) x = std::ldexp(x, exponent);
        expect_like_threads(small, other, "scales of 2^±" + std::to_string(exponent));
        for (float& x : other) x = std::ldexp(x, -2 * exponent);
        expect_like_threads(small, other, "both scaled by 2^-" + std::to_string(exponent));
    }
}

} // namespace matrix_tiles_test
} // namespace swirl
