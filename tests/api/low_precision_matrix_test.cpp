#include "api/c_interface.hpp"
#include "random_layout.hpp"

#include <gtest/gtest.h>
#include <swirl/swirl.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace swirl {
namespace low_precision_matrix_test {

/// The data types of A, B and C.
template <class OfA, class OfB, class OfC> struct Kinds {
    using A = OfA;
    using B = OfB;
    using C = OfC;
};

template <class T> T any_value(std::mt19937& random) {
    if constexpr (std::is_integral_v<T>) {
        if (random() % 4 == 0) // extremes: no sum of products may saturate
            return random() % 2 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
        return static_cast<T>(random());
    } else {
        return T(std::uniform_real_distribution<float>(-1, 1)(random));
    }
}

template <class K> class NarrowCase {
public:
    using A = typename K::A;
    using B = typename K::B;
    using C = typename K::C;
    static constexpr bool is_integer = std::is_integral_v<C>;

    explicit NarrowCase(unsigned seed, Integer most) : random_(seed) {
        const auto up_to = [&](Integer n) { return 1 + static_cast<Integer>(random_()) % n; };
        product_ = {
            .data_type = data_type_of<C>(), .rows = up_to(most), .columns = up_to(most), .k = up_to(most)};
        product_.batch = seed % 4 == 0 ? up_to(4) : 1;
        product_.a_type = data_type_of<A>();
        product_.b_type = data_type_of<B>();
        a_ = filled<A>(product_.a, product_.rows, product_.k);
        b_ = filled<B>(product_.b, product_.k, product_.columns);
        c_ = filled<C>(product_.c, product_.rows, product_.columns);
        alpha_ = seed % 3 == 0 ? C(1) : any_value<C>(random_);
        beta_ = seed % 5 < 2 ? static_cast<C>(seed % 5) : any_value<C>(random_);
        if constexpr (!is_integer)
            if (beta_ == 0)
                for (C& value : c_) value = std::numeric_limits<C>::quiet_NaN();
        before_ = c_;
    }

    const MatrixProduct& product() const { return product_; }
    std::vector<C> run(const Plan& plan) {
        c_ = before_;
        plan.execute(alpha_, a_.data(), b_.data(), beta_, c_.data());
        return c_;
    }
    void expect_right() const {
        std::vector<char> is_element(c_.size(), 0);
        for (Integer matrix = 0; matrix < product_.batch; ++matrix)
            for (Integer i = 0; i < product_.rows; ++i)
                for (Integer j = 0; j < product_.columns; ++j) {
                    const std::size_t at = index(product_.c, matrix, i, j);
                    is_element[at] = 1;
                    expect_element(matrix, i, j, at);
                    if (testing::Test::HasFailure()) return;
                }
        for (std::size_t at = 0; at < c_.size(); ++at) {
            if (is_element[at] != 0 || beta_ == 0) continue;
            EXPECT_EQ(c_[at], before_[at]) << "between the elements of C, at " << at;
        }
    }

private:
    /// Sums of int64, taken modulo 2^32, or of double.
    void expect_element(Integer matrix, Integer i, Integer j, std::size_t at) const {
        using Sum = std::conditional_t<is_integer, std::uint64_t, double>;
        const auto wide = [](auto value) {
            if constexpr (is_integer)
                return static_cast<Sum>(static_cast<std::int64_t>(value));
            else
                return static_cast<Sum>(static_cast<float>(value));
        };
        Sum sum = 0;
        for (Integer k = 0; k < product_.k; ++k)
            sum += wide(a_[index(product_.a, matrix, i, k)]) * wide(b_[index(product_.b, matrix, k, j)]);
        Sum expected = wide(alpha_) * sum;
        if (beta_ != 0) expected += wide(beta_) * wide(before_[at]);
        if constexpr (is_integer)
            EXPECT_EQ(c_[at], static_cast<C>(static_cast<std::uint32_t>(expected))) << i << ", " << j;
        else
            EXPECT_LE(std::abs(wide(c_[at]) - expected), 0x1p-20 * static_cast<double>(product_.k + 2))
                << i << ", " << j;
    }
    template <class T> std::vector<T> filled(MatrixLayout& layout, Integer rows, Integer columns) {
        const RandomLayout found = random_layout(rows, columns, random_, false);
        layout = found.layout;
        std::vector<T> values(static_cast<std::size_t>(found.elements * product_.batch));
        for (T& value : values) value = any_value<T>(random_);
        return values;
    }
    static std::size_t index(const MatrixLayout& layout, Integer matrix, Integer i, Integer j) {
        return static_cast<std::size_t>(matrix * layout.batch_stride + i * layout.row_stride +
                                        j * layout.column_stride);
    }

    std::mt19937 random_;
    MatrixProduct product_;
    std::vector<A> a_;
    std::vector<B> b_;
    std::vector<C> c_, before_;
    C alpha_, beta_;
};

template <class K> class LowPrecisionGemm : public testing::Test {};
using AllKinds = testing::Types<
    Kinds<bfloat16, bfloat16, float>, Kinds<float16, float16, float>,
    Kinds<std::int8_t, std::int8_t, std::int32_t>, Kinds<std::int8_t, std::uint8_t, std::int32_t>,
    Kinds<std::uint8_t, std::int8_t, std::int32_t>, Kinds<std::uint8_t, std::uint8_t, std::int32_t>>;
TYPED_TEST_SUITE(LowPrecisionGemm, AllKinds);

TYPED_TEST(LowPrecisionGemm, EqualTheDefinition) {
    for (unsigned seed = 1; seed <= 120; ++seed) {
        NarrowCase<TypeParam> random_case(seed, seed % 6 == 0 ? 150 : 40);
        const Plan planned = plan(random_case.product());
        random_case.run(planned);
        random_case.expect_right();
        ASSERT_FALSE(this->HasFailure()) << "seed " << seed << ": " << planned.description();
    }
}

TYPED_TEST(LowPrecisionGemm, ThreadsGiveTheSameBits) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
        NarrowCase<TypeParam> random_case(seed, 700);
        const auto one = random_case.run(plan(random_case.product()));
        const auto three = random_case.run(plan(random_case.product(), {.threads = 3}));
        for (std::size_t at = 0; at < one.size(); ++at)
            ASSERT_TRUE(one[at] == three[at] || (one[at] != one[at] && three[at] != three[at])) << at;
    }
}

template <class T> MatrixProduct contiguous(DataType data_type, Integer rows, Integer columns, Integer k) {
    MatrixProduct product = MatrixProduct::column_major(data_type, rows, columns, k);
    product.a_type = product.b_type = data_type_of<T>();
    return product;
}

TEST(LowPrecisionProduct, ZeroKOnlyScalesC) {
    const MatrixProduct product = contiguous<std::int8_t>(DataType::int32, 2, 1, 0);
    std::int32_t c[] = {5, -7};
    const std::int8_t* const none = nullptr;
    plan(product).execute(1, none, none, 3, c);
    EXPECT_EQ(c[0], 15);
    EXPECT_EQ(c[1], -21);
}

TEST(LowPrecisionProduct, InfinitiesAndNansSpread) {
    const float infinity = std::numeric_limits<float>::infinity();
    const auto product_of = [](auto example, float x, float y) {
        using T = decltype(example);
        const T a[] = {T(x), T(1)}, b[] = {T(y), T(1)};
        float c = 0;
        plan(contiguous<T>(DataType::float32, 1, 1, 2)).execute(1, a, b, 0, &c);
        return c;
    };
    EXPECT_EQ(product_of(bfloat16{}, infinity, 2), infinity);
    EXPECT_EQ(product_of(bfloat16{}, infinity, -2), -infinity);
    EXPECT_TRUE(std::isnan(product_of(bfloat16{}, infinity, 0)));
    EXPECT_TRUE(std::isnan(product_of(bfloat16{}, std::nanf(""), 1)));
    EXPECT_EQ(product_of(float16{}, infinity, 2), infinity);
    EXPECT_TRUE(std::isnan(product_of(float16{}, infinity, 0)));
    EXPECT_TRUE(std::isnan(product_of(float16{}, std::nanf(""), 1)));
}

TEST(LowPrecisionProduct, EpiloguesAreOfFloat32) {
    MatrixProduct product = contiguous<bfloat16>(DataType::float32, 50, 30, 40);
    product.epilogue = Expression("max(0, x + bias[i])");
    const std::vector<bfloat16> a(50 * 40, bfloat16(0.5F)), b(40 * 30, bfloat16(-1));
    std::vector<float> c(50 * 30), bias(50);
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(i);
    plan(product).with("bias", bias.data()).execute(1, a.data(), b.data(), 0, c.data());
    for (std::size_t at = 0; at < c.size(); ++at) EXPECT_EQ(c[at], std::max(0.0F, bias[at % 50] - 20)) << at;
    product = contiguous<std::int8_t>(DataType::int32, 2, 2, 2);
    product.epilogue = Expression("max(0, x)");
    EXPECT_THROW(validate(product), UserError);
}

TEST(LowPrecisionProduct, CombinationsThatThereAreNotAreRefusedByName) {
    const auto expect = [](DataType a, DataType b, DataType c, const char* words) {
        MatrixProduct product = MatrixProduct::column_major(c, 2, 2, 2);
        product.a_type = a;
        product.b_type = b;
        try {
            validate(product);
            ADD_FAILURE() << "no error for " << words;
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    };
    expect(DataType::float8_e4m3, DataType::float16, DataType::float32, "b_type is float16");
    expect(DataType::int8, DataType::float32, DataType::int32, "b_type is float32");
    expect(DataType::int32, DataType::int8, DataType::int32, "a_type is int32");
    expect(DataType::bfloat16, DataType::bfloat16, DataType::float64, "a_type is bfloat16");
    expect(DataType::bfloat16, DataType::bfloat16, DataType::bfloat16, "data_type is bfloat16");
    expect(DataType::float32, DataType::float64, DataType::float32, "b_type is float64");
    expect(static_cast<DataType>(99), DataType::int8, DataType::int32, "a_type is 99");
}

TEST(LowPrecisionProduct, RejectsOtherDataTypesAndOverlap) {
    const Plan planned = plan(contiguous<std::int8_t>(DataType::int32, 4, 4, 4));
    std::vector<std::int32_t> c(16 + 4);
    const std::vector<std::int8_t> a(16), b(16);
    const std::vector<std::uint8_t> other(16);
    EXPECT_THROW(planned.execute(1, a.data(), other.data(), 0, c.data()), UserError);
    const auto* const inside = reinterpret_cast<const std::int8_t*>(c.data() + 16) - 1;
    EXPECT_THROW(planned.execute(1, inside, b.data(), 0, c.data()), UserError);
    EXPECT_NO_THROW(planned.execute(1, inside + 1, b.data(), 0, c.data()));
}

TEST(LowPrecisionProduct, TheCInterfaceKnowsThem) {
    const c::Problem problem = c::product(SWIRL_INT32, 1, 1, 3);
    swirl_plan* none = nullptr;
    EXPECT_EQ(swirl_plan_create(problem.get(), nullptr, &none), SWIRL_USER_ERROR);
    ASSERT_EQ(swirl_problem_set_matrix_type(problem.get(), SWIRL_A, SWIRL_INT8), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_matrix_type(problem.get(), SWIRL_B, SWIRL_UINT8), SWIRL_OK);
    const c::Plan planned = c::plan(problem);
    const std::int8_t a[] = {-128, 127, 3};
    const std::uint8_t b[] = {255, 255, 1};
    const std::int32_t alpha = 2, beta = 0;
    std::int32_t c = 0;
    EXPECT_EQ(swirl_execute_product(planned.get(), &alpha, a, b, &beta, &c), SWIRL_OK);
    EXPECT_EQ(c, 2 * (-255 + 3));
}

} // namespace low_precision_matrix_test
} // namespace swirl
