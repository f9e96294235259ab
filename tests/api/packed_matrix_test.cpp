#include "support/error_of.hpp"

#include <gtest/gtest.h>
#include <swirl/swirl.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace swirl {
namespace packed_matrix_test {

template <class T> std::vector<T> elements(Integer count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values) {
        if constexpr (sizeof(T) > sizeof(double) || !std::is_floating_point_v<T>) {
            const float re = uniform(random);
            value = T(re, uniform(random));
        } else {
            value = uniform(random);
        }
    }
    return values;
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// A and B in every direction, C too; a batch with one B for all.
MatrixProduct product_of(DataType data_type, Integer rows, Integer columns, Integer k, unsigned kind) {
    MatrixProduct product = kind % 2 == 0 ? MatrixProduct::column_major(data_type, rows, columns, k)
                                          : MatrixProduct::row_major(data_type, rows, columns, k);
    if (kind / 2 % 2 == 1) product.a = {.row_stride = k, .column_stride = 1};
    if (kind / 4 % 2 == 1) product.b = {.row_stride = 1, .column_stride = k};
    if (kind % 5 == 4) product.c = {.row_stride = 2, .column_stride = 2 * rows};
    product.a.conjugated = is_complex(data_type) && kind % 3 == 0;
    product.b.conjugated = is_complex(data_type) && kind % 3 == 1;
    if (kind % 7 == 6) {
        product.batch = 3;
        product.a.batch_stride = kind % 2 == 0 ? rows * k : -rows * k;
        product.c.batch_stride = 2 * rows * columns;
    }
    if (kind % 3 == 2) product.epilogue = Expression("x - 0.5 * i + j");
    return product;
}

template <class T> void expect_same() {
    const T alpha = T(-1.25F), beta = T(0.5F);
    unsigned kind = 0;
    for (const auto& [rows, columns, k_extent] :
         {std::array<Integer, 3>{3, 5, 4}, {40, 37, 60}, {130, 20, 700}, {401, 395, 11}, {390, 400, 500}})
        for (int trial = 0; trial < (rows < 200 ? 14 : 4); ++trial, ++kind) {
            const MatrixProduct product = product_of(data_type_of<T>(), rows, columns, k_extent, kind);
            const std::vector<T> a = elements<T>(rows * k_extent * product.batch, kind),
                                 b = elements<T>(k_extent * columns, kind + 1),
                                 before = elements<T>(2 * rows * columns * product.batch, kind + 2);
            for (const int threads : {1, 2}) {
                const Plan plan = swirl::plan(product, {.threads = threads});
                std::vector<T> expected = before;
                const T* const first_a =
                    a.data() + std::max<Integer>(-product.a.batch_stride * (product.batch - 1), 0);
                plan.execute(alpha, first_a, b.data(), beta, expected.data());
                const PackedMatrix packed_a = plan.pack_a(first_a), packed_b = plan.pack_b(b.data());
                std::vector<T> c = before;
                plan.execute(alpha, packed_a, b.data(), beta, c.data());
                EXPECT_TRUE(same_bits(c, expected)) << "A, kind " << kind << " rows " << rows;
                c = before;
                plan.execute(alpha, first_a, packed_b, beta, c.data());
                EXPECT_TRUE(same_bits(c, expected)) << "B, kind " << kind << " rows " << rows;
                c = before;
                plan.execute(alpha, packed_a, packed_b, beta, c.data());
                EXPECT_TRUE(same_bits(c, expected)) << "both, kind " << kind << " rows " << rows;
            }
        }
}

TEST(PackedMatrix, GivesTheSameBits) {
    expect_same<float>();
    expect_same<double>();
    expect_same<std::complex<float>>();
    expect_same<std::complex<double>>();
}

TEST(PackedMatrix, OfOneRowKeepsTheOrientationOfCsEpilogue) {
    // Where no code is generated B is copied: to columns of one element, which lie in memory as a row does.
    constexpr Integer columns = 17, stride = 4;
    MatrixProduct product = MatrixProduct::column_major(DataType::float64, 1, columns, 1);
    product.b = {.row_stride = 1, .column_stride = stride};
    product.c = {.row_stride = 1, .column_stride = 1};
    product.epilogue = Expression("x + 2 * i + j");
    const std::vector<double> a = elements<double>(1, 1), b = elements<double>(stride * columns, 2);
    for (const char* cpu : {"portable", ""}) {
        const Plan plan = swirl::plan(product, {.cpu = cpu});
        std::vector<double> c(columns);
        plan.execute(1, a.data(), plan.pack_b(b.data()), 0, c.data());
        for (Integer j = 0; j < columns; ++j)
            EXPECT_NEAR(c[static_cast<std::size_t>(j)],
                        a[0] * b[static_cast<std::size_t>(j * stride)] + static_cast<double>(j), 1e-12)
                << cpu << " column " << j;
    }
}

TEST(PackedMatrix, ServesPlansOfOtherStridesAndThreadsAtOnce) {
    const Integer rows = 450, columns = 440, k_extent = 600;
    const std::vector<double> a = elements<double>(rows * k_extent, 1),
                              b = elements<double>(k_extent * columns, 2);
    MatrixProduct product = MatrixProduct::column_major(DataType::float64, rows, columns, k_extent);
    const Plan plan = swirl::plan(product);
    PackedMatrix packed = plan.pack_b(b.data());
    EXPECT_GE(packed.bytes(), static_cast<std::size_t>(k_extent * columns) * sizeof(double));
    std::vector<double> expected(static_cast<std::size_t>(rows * columns));
    plan.execute(1, a.data(), b.data(), 0, expected.data());
    product.a = {.row_stride = k_extent, .column_stride = 1};
    std::vector<double> transposed(a.size());
    for (Integer i = 0; i < rows; ++i)
        for (Integer k = 0; k < k_extent; ++k)
            transposed[static_cast<std::size_t>(i * k_extent + k)] =
                a[static_cast<std::size_t>(i + k * rows)];
    const Plan other = swirl::plan(product, {.threads = 2});
    std::vector<std::thread> threads;
    std::vector<int> same(3);
    for (int& result : same)
        threads.emplace_back([&, mine = packed] {
            std::vector<double> c(expected.size());
            other.execute(1, transposed.data(), mine, 0, c.data());
            result = same_bits(c, expected) ? 1 : 0;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(same, std::vector<int>(3, 1));
}

TEST(PackedMatrix, SaysWhatDoesNotFit) {
    const Plan plan = swirl::plan(MatrixProduct::column_major(DataType::float64, 8, 9, 10));
    const Plan other = swirl::plan(MatrixProduct::column_major(DataType::float64, 8, 9, 11));
    const std::vector<double> a = elements<double>(200, 1), b = elements<double>(200, 2);
    std::vector<double> c(200);
    const PackedMatrix packed_a = plan.pack_a(a.data()), packed_b = plan.pack_b(b.data());
    EXPECT_NE(error_of([&] { other.execute(1, packed_a, b.data(), 0, c.data()); }).find("8 by 11"),
              std::string::npos);
    EXPECT_NE(error_of([&] { plan.execute(1, packed_b, b.data(), 0, c.data()); }).find("packed 'a'"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                  plan.execute(1, a.data(), packed_b, 0, const_cast<double*>(a.data()));
              }).find("overlap"),
              std::string::npos);
    const float* const narrow = nullptr;
    EXPECT_NE(error_of([&] { plan.pack_a(narrow); }).find("a is an array of float"), std::string::npos);
    const double* const null = nullptr;
    EXPECT_NE(error_of([&] { plan.pack_a(null); }).find("'a' is a null"), std::string::npos);
    EXPECT_NE(error_of([&] { plan.execute(1, packed_a, null, 0, c.data()); }).find("'b' is a null"),
              std::string::npos);
    EXPECT_EQ(error_of([&] { plan.execute(0, packed_b, packed_a, 0, c.data()); }), "") << "not read";
}

} // namespace packed_matrix_test
} // namespace swirl
