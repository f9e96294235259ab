#include "api/c_interface.hpp"
#include "problem/expression.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>
#include <swirl/swirl.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace swirl {
namespace stored_matrix_test {

std::size_t offset_of(const MatrixLayout& layout, Integer matrix, Integer i, Integer j) {
    return static_cast<std::size_t>(matrix * layout.batch_stride + i * layout.row_stride +
                                    j * layout.column_stride);
}

template <class T> T random_value(std::mt19937& random) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(random());
    else
        return T(static_cast<float>(static_cast<int>(random() % 257) - 128) / 64);
}

/// A double as C's elements hold it: computed without the library.
template <class C> double stored(double x) {
    if constexpr (std::is_integral_v<C>) {
        if (std::isnan(x)) return 0;
        return std::clamp(std::nearbyint(x), static_cast<double>(std::numeric_limits<C>::min()),
                          static_cast<double>(std::numeric_limits<C>::max()));
    }
    return x;
}

/// Tolerance of results: one unit of C's type, because integers may round the other way.
template <class C> double unit(double x) {
    if constexpr (std::is_integral_v<C>) return 1;
    if constexpr (std::is_same_v<C, bfloat16>) return std::max(1e-30, std::fabs(x)) * 0x1p-7;
    if constexpr (std::is_same_v<C, float16>) return std::max(0x1p-14, std::fabs(x)) * 0x1p-10;
    return std::max(1.0, std::fabs(x)) * 0x1p-20;
}

/// A product whose C is stored in another type, with an epilogue of x, i and an array of the rows.
template <class A, class C> class Case {
public:
    Case(MatrixProduct product, const char* epilogue, unsigned seed) : product_(product), random_(seed) {
        product_.a_type = product_.b_type = data_type_of<A>();
        product_.c_type = data_type_of<C>();
        product_.epilogue = *epilogue == 0 ? Expression() : Expression(epilogue);
        a_ = filled(product_.a, product_.rows, product_.k);
        b_ = filled(product_.b, product_.k, product_.columns);
        for (Integer i = 0; i < product_.rows; ++i) bias_.push_back(random_value<float>(random_));
    }

    std::vector<C> run(int threads, AccumulatorOf<A> alpha) const {
        Plan planned = plan(product_, {.threads = threads});
        if (!arrays_of(product_).empty()) planned = planned.with("bias", bias_.data());
        std::vector<C> c(offset_of(product_.c, product_.batch - 1, product_.rows - 1, product_.columns - 1) +
                         1);
        planned.execute(alpha, a_.data(), b_.data(), 0, c.data());
        return c;
    }

    void expect_right(const std::vector<C>& c, double alpha) const {
        Integer other_ways = 0;
        for (Integer matrix = 0; matrix < product_.batch; ++matrix)
            for (Integer i = 0; i < product_.rows; ++i)
                for (Integer j = 0; j < product_.columns; ++j) {
                    const double expected = stored<C>(finished(alpha * sum(matrix, i, j), i));
                    const auto found = static_cast<double>(c[offset_of(product_.c, matrix, i, j)]);
                    ASSERT_LE(std::fabs(found - expected), unit<C>(expected))
                        << product_.epilogue.text() << " at " << i << ", " << j << " of " << product_.rows
                        << " by " << product_.columns << " by " << product_.k;
                    other_ways += std::is_integral_v<C> && found != expected ? 1 : 0;
                }
        EXPECT_LE(other_ways, product_.rows * product_.columns * product_.batch / 100 + 1)
            << product_.epilogue.text();
    }

private:
    std::vector<A> filled(const MatrixLayout& layout, Integer rows, Integer columns) {
        std::vector<A> values(offset_of(layout, product_.batch - 1, rows - 1, columns - 1) + 1);
        for (A& value : values) value = random_value<A>(random_);
        return values;
    }
    double sum(Integer matrix, Integer i, Integer j) const {
        double sum = 0;
        for (Integer k = 0; k < product_.k; ++k)
            sum += static_cast<double>(a_[offset_of(product_.a, matrix, i, k)]) *
                   static_cast<double>(b_[offset_of(product_.b, matrix, k, j)]);
        return sum;
    }
    double finished(double x, Integer i) const {
        if (product_.epilogue.is_identity()) return x;
        const auto index = [&](const std::string&) { return i; };
        const auto element = [&](const ExpressionNode&) -> std::complex<double> {
            return static_cast<double>(bias_[static_cast<std::size_t>(i)]);
        };
        return evaluate(product_.epilogue.tree()->value, {x, index, element}).real();
    }

    MatrixProduct product_;
    std::mt19937 random_;
    std::vector<A> a_, b_;
    std::vector<float> bias_;
};

template <class A, class C> void expect_all(DataType sums, const std::vector<const char*>& epilogues) {
    unsigned seed = 0;
    for (const auto& [rows, columns, k_extent] : {std::array<Integer, 3>{1, 1, 1},
                                                  {5, 7, 3},
                                                  {33, 70, 40},
                                                  {70, 61, 2300},
                                                  {1100, 1040, 5},
                                                  {9, 4, 0}})
        for (const int layout : {0, 1, 2})
            for (const char* epilogue : epilogues) {
                if (rows > 1000 && layout != static_cast<int>(seed % 3)) {
                    ++seed;
                    continue; // enough of the large ones
                }
                MatrixProduct product = layout == 1
                                            ? MatrixProduct::row_major(sums, rows, columns, k_extent)
                                            : MatrixProduct::column_major(sums, rows, columns, k_extent);
                if (layout == 2) product.c = {.row_stride = 2, .column_stride = 2 * rows + 1};
                const Case<A, C> test(product, epilogue, ++seed);
                const AccumulatorOf<A> alpha = static_cast<AccumulatorOf<A>>(seed % 2 == 0 ? 1 : 2);
                const std::vector<C> one = test.run(1, alpha);
                test.expect_right(one, static_cast<double>(alpha));
                const std::vector<C> two = test.run(2, alpha);
                EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(C)), 0) << epilogue;
            }
}

TEST(StoredMatrix, Float32AccumulatorsAreRoundedToC) {
    expect_all<float, bfloat16>(DataType::float32, {"", "max(0, x + bias[i])", "gelu(x / 8) + i"});
    expect_all<float, float16>(DataType::float32, {"", "x * 0.25 + bias[i]"});
    expect_all<bfloat16, bfloat16>(DataType::float32, {"", "tanh(x) * bias[i]"});
    expect_all<float16, float16>(DataType::float32, {"x / (1 + abs(x))"});
}

TEST(StoredMatrix, Float32SumsBecomeBytesThatKeepToTheirRange) {
    expect_all<float, std::int8_t>(DataType::float32, {"", "x + bias[i]"});
    expect_all<float, std::uint8_t>(DataType::float32, {"x * 4", "60 * sigmoid(x) + i"});
}

TEST(StoredMatrix, Int32SumsBecomeFloatsAndBytes) {
    expect_all<std::int8_t, float>(DataType::int32, {"", "0.001 * x + bias[i]", "gelu(x / 65536)"});
    expect_all<std::uint8_t, float>(DataType::int32, {"x * 0.0078125 - 3"});
    expect_all<std::int8_t, std::int8_t>(DataType::int32, {"", "x / 2048 + bias[i]"});
    expect_all<std::uint8_t, std::uint8_t>(DataType::int32, {"", "x / 65536"});
    expect_all<std::int8_t, bfloat16>(DataType::int32, {"", "x * bias[i]"});
    expect_all<std::int8_t, float16>(DataType::int32, {"x / 4096"});
}

TEST(StoredMatrix, KnowsTheMatricesOfABatch) {
    for (const Integer extent : {4, 100}) {
        MatrixProduct product = MatrixProduct::column_major(DataType::float32, extent, extent, extent);
        product.batch = 5;
        product.a.batch_stride = product.b.batch_stride = extent * extent;
        product.c.batch_stride = extent * extent + 3;
        const Case<float, bfloat16> halves(product, "x + bias[i]", 3);
        halves.expect_right(halves.run(2, 1), 1);
        product.data_type = DataType::int32;
        const Case<std::int8_t, std::int8_t> bytes(product, "x / 512 + bias[i]", 4);
        bytes.expect_right(bytes.run(2, 1), 1);
    }
}

template <class C> std::vector<C> stored_values(const std::vector<float>& elements) {
    MatrixProduct product =
        MatrixProduct::column_major(DataType::float32, static_cast<Integer>(elements.size()), 1, 1);
    product.c_type = data_type_of<C>();
    std::vector<C> c(elements.size());
    const float one = 1;
    plan(product).execute(1, elements.data(), &one, 0, c.data());
    return c;
}

TEST(StoredMatrix, RoundsToEvenSaturatesAndStoresNanAsZero) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> elements = {0.5F,      1.5F,          2.5F,   -0.5F,   -1.5F, 126.5F,
                                         127.4F,    127.5F,        1e30F,  -128.5F, -129,  infinity,
                                         -infinity, std::nanf(""), 254.5F, 255.5F,  -0.0F};
    EXPECT_EQ(stored_values<std::int8_t>(elements),
              (std::vector<std::int8_t>{0, 2, 2, 0, -2, 126, 127, 127, 127, -128, -128, 127, -128, 0, 127,
                                        127, 0}));
    EXPECT_EQ(stored_values<std::uint8_t>(elements),
              (std::vector<std::uint8_t>{0, 2, 2, 0, 0, 126, 127, 128, 255, 0, 0, 255, 0, 0, 254, 255, 0}));
    const auto halves =
        stored_values<float16>({1 + 0x1p-11F, 1 + 3 * 0x1p-11F, 65519, 65520, 0x1p-24F, 0x1p-25F, -infinity});
    const std::vector<float> expected = {1, 1 + 0x1p-9F, 65504, infinity, 0x1p-24F, 0, -infinity};
    for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_EQ(static_cast<float>(halves[k]), expected[k]) << k;
    const auto short_ones = stored_values<bfloat16>({1 + 0x1p-8F, 1 + 3 * 0x1p-8F, 3.4e38F, std::nanf("")});
    EXPECT_EQ(static_cast<float>(short_ones[0]), 1);
    EXPECT_EQ(static_cast<float>(short_ones[1]), 1 + 0x1p-6F);
    EXPECT_EQ(static_cast<float>(short_ones[2]), infinity);
    EXPECT_TRUE(std::isnan(static_cast<float>(short_ones[3])));
}

TEST(StoredMatrix, SaysWhatDoesNotFit) {
    const auto refused = [](DataType data_type, DataType c) {
        MatrixProduct product = MatrixProduct::column_major(data_type, 2, 2, 2);
        if (data_type == DataType::int32) product.a_type = product.b_type = DataType::int8;
        product.c_type = c;
        return error_of([&] { validate(product); });
    };
    EXPECT_NE(
        refused(DataType::float64, DataType::bfloat16).find("c_type is bfloat16 for accumulators of float64"),
        std::string::npos);
    EXPECT_NE(refused(DataType::float32, DataType::int32).find("c_type is int32"), std::string::npos);
    EXPECT_NE(refused(DataType::int32, static_cast<DataType>(99)).find("c_type is 99"), std::string::npos);
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 2, 2, 2);
    product.c_type = DataType::bfloat16;
    const Plan planned = plan(product);
    const std::vector<float> a(4), b(4);
    std::vector<bfloat16> c(4);
    std::vector<float> wide(4);
    EXPECT_NE(error_of([&] { planned.execute(1, a.data(), b.data(), 1, c.data()); }).find("beta is not 0"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                  planned.execute(1, a.data(), b.data(), 0, wide.data());
              }).find("c is an array of float"),
              std::string::npos);
    EXPECT_NE(error_of([&] { planned.pack_a(a.data()); }).find("not prepacked"), std::string::npos);
}

TEST(StoredMatrix, ServesC) {
    const c::Problem problem = c::product(SWIRL_INT32, 2, 1, 2);
    ASSERT_EQ(swirl_problem_set_epilogue(problem.get(), "x / 10"), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_matrix_type(problem.get(), SWIRL_A, SWIRL_INT8), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_matrix_type(problem.get(), SWIRL_B, SWIRL_UINT8), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_matrix_type(problem.get(), SWIRL_C, SWIRL_FLOAT32), SWIRL_OK);
    const c::Plan planned = c::plan(problem);
    const std::int8_t a[] = {1, -2, 3, 4};
    const std::uint8_t b[] = {200, 5};
    const std::int32_t alpha = 1, beta = 0;
    float c[2];
    EXPECT_EQ(swirl_execute_product(planned.get(), &alpha, a, b, &beta, c), SWIRL_OK) << swirl_last_error();
    EXPECT_FLOAT_EQ(c[0], 21.5F);
    EXPECT_FLOAT_EQ(c[1], -38);
    EXPECT_EQ(swirl_execute_product(planned.get(), &alpha, a, b, &alpha, c), SWIRL_USER_ERROR);
    ASSERT_EQ(swirl_problem_set_matrix_type(problem.get(), SWIRL_C, SWIRL_FLOAT64), SWIRL_OK);
    swirl_plan* none = nullptr;
    EXPECT_EQ(swirl_plan_create(problem.get(), nullptr, &none), SWIRL_USER_ERROR);
}

} // namespace stored_matrix_test
} // namespace swirl
