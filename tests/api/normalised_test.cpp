// Normalised integers: the types, and C of these types on CPUs.

#include "support/error_of.hpp"

#include <gtest/gtest.h>
#include <swirl/swirl.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace swirl {
namespace normalised_test {

/// Every value round-trips; values between two round to the nearer one.
template <class T> void expect_type(int least, int greatest) {
    const float units = static_cast<float>(greatest);
    for (int k = least; k <= greatest; ++k) {
        T element;
        element.bits = static_cast<decltype(element.bits)>(k);
        const float value = element;
        ASSERT_EQ(value, std::max(static_cast<float>(k) / units, least < 0 ? -1.0F : 0.0F));
        ASSERT_EQ(T(value).bits, std::max(k, least < 0 ? -greatest : 0));
        ASSERT_EQ(T((static_cast<float>(k) + 0.375F) / units).bits,
                  std::clamp(k, least < 0 ? -greatest : 0, greatest));
    }
    constexpr float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(T(infinity).bits, greatest);
    EXPECT_EQ(T(-infinity).bits, least < 0 ? -greatest : 0);
    EXPECT_EQ(T(std::nanf("")).bits, 0);
}

TEST(NormalisedTypes, AreTheNearest) {
    expect_type<unorm8>(0, 255);
    expect_type<snorm8>(-128, 127);
    expect_type<unorm16>(0, 65535);
    expect_type<snorm16>(-32768, 32767);
}

/// Sums of a few quarters are exact.
template <class T> void expect_stored() {
    constexpr Integer rows = 37, columns = 21, k_extent = 3;
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, rows, columns, k_extent);
    product.c_type = data_type_of<T>();
    std::mt19937 random(3);
    std::uniform_int_distribution<int> quarter(-4, 4);
    std::vector<float> a(rows * k_extent), b(k_extent * columns);
    for (std::vector<float>* const values : {&a, &b})
        for (float& value : *values) value = 0.25F * static_cast<float>(quarter(random));
    std::vector<T> c(rows * columns);
    plan(product).execute(0.375F, a.data(), b.data(), 0, c.data());
    for (Integer j = 0; j < columns; ++j)
        for (Integer i = 0; i < rows; ++i) {
            float sum = 0;
            for (Integer k = 0; k < k_extent; ++k)
                sum +=
                    a[static_cast<std::size_t>(i + k * rows)] * b[static_cast<std::size_t>(k + j * k_extent)];
            ASSERT_EQ(c[static_cast<std::size_t>(i + j * rows)].bits, T(0.375F * sum).bits) << i << ", " << j;
        }
}

TEST(NormalisedTypes, AreStoredByCpus) {
    expect_stored<unorm8>();
    expect_stored<snorm8>();
    expect_stored<unorm16>();
    expect_stored<snorm16>();
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 8, 8, 8);
    product.a_type = product.b_type = DataType::unorm8;
    EXPECT_NE(error_of([&] { plan(product); }).find("unorm8"), std::string::npos);
    product.a_type = product.b_type = DataType::int8;
    product.data_type = DataType::int32;
    product.c_type = DataType::unorm8;
    EXPECT_NE(error_of([&] { plan(product); }).find("c_type is unorm8 for accumulators of int32"),
              std::string::npos);
}

} // namespace normalised_test
} // namespace swirl
