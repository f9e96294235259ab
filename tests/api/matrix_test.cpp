#include "api/c_interface.hpp"
#include "random_layout.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>
#include <swirl/swirl.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace swirl {
namespace matrix_test {

template <class T> struct Parts {
    using Real = T;
    static T make(std::mt19937& random) { return std::uniform_real_distribution<T>(-1, 1)(random); }
    static T conjugate(T value) { return value; }
};
template <class R> struct Parts<std::complex<R>> {
    using Real = R;
    static std::complex<R> make(std::mt19937& random) {
        return {Parts<R>::make(random), Parts<R>::make(random)};
    }
    static std::complex<R> conjugate(std::complex<R> value) { return std::conj(value); }
};

using Wide = std::complex<long double>;
template <class T> Wide widened(T value) { return Wide(value); }
template <class R> Wide widened(std::complex<R> value) { return {value.real(), value.imag()}; }

template <class T> class Case {
public:
    explicit Case(unsigned seed, Integer most) : random_(seed) {
        const auto up_to = [&](Integer n) { return 1 + static_cast<Integer>(random_()) % n; };
        product_ = {
            .data_type = data_type_of<T>(), .rows = up_to(most), .columns = up_to(most), .k = up_to(most)};
        product_.batch = seed % 4 == 0 ? up_to(4) : 1;
        a_ = filled(product_.a, product_.rows, product_.k, is_complex(product_.data_type));
        b_ = filled(product_.b, product_.k, product_.columns, is_complex(product_.data_type));
        c_ = filled(product_.c, product_.rows, product_.columns, false);
        alpha_ = seed % 3 == 0 ? T(1) : Parts<T>::make(random_);
        beta_ = seed % 5 < 2 ? T(static_cast<typename Parts<T>::Real>(seed % 5)) : Parts<T>::make(random_);
        if (beta_ == T(0))
            for (T& value : c_) value = T(std::numeric_limits<typename Parts<T>::Real>::quiet_NaN());
        before_ = c_;
    }

    const MatrixProduct& product() const { return product_; }
    std::vector<T> run(const Plan& plan) {
        c_ = before_;
        plan.execute(alpha_, a_.data(), b_.data(), beta_, c_.data());
        return c_;
    }
    void expect_right() const {
        const long double epsilon = std::numeric_limits<typename Parts<T>::Real>::epsilon();
        std::vector<char> is_element(c_.size(), 0);
        for (Integer matrix = 0; matrix < product_.batch; ++matrix)
            for (Integer i = 0; i < product_.rows; ++i)
                for (Integer j = 0; j < product_.columns; ++j) {
                    Wide sum = 0;
                    for (Integer k = 0; k < product_.k; ++k)
                        sum += value(a_, product_.a, matrix, i, k) * value(b_, product_.b, matrix, k, j);
                    const std::size_t at = index(product_.c, matrix, i, j);
                    is_element[at] = 1;
                    Wide expected = widened(alpha_) * sum;
                    if (beta_ != T(0)) expected += widened(beta_) * widened(before_[at]);
                    ASSERT_LE(std::abs(widened(c_[at]) - expected),
                              epsilon * 8 * static_cast<long double>(product_.k + 2))
                        << i << ", " << j;
                }
        for (std::size_t at = 0; at < c_.size(); ++at) {
            if (is_element[at] != 0 || beta_ == T(0)) continue;
            EXPECT_EQ(c_[at], before_[at]) << "between the elements of C, at " << at;
        }
    }

private:
    std::vector<T> filled(MatrixLayout& layout, Integer rows, Integer columns, bool may_conjugate) {
        const RandomLayout found = random_layout(rows, columns, random_, may_conjugate);
        layout = found.layout;
        std::vector<T> values(static_cast<std::size_t>(found.elements * product_.batch));
        for (T& value : values) value = Parts<T>::make(random_);
        return values;
    }
    static std::size_t index(const MatrixLayout& layout, Integer matrix, Integer i, Integer j) {
        return static_cast<std::size_t>(matrix * layout.batch_stride + i * layout.row_stride +
                                        j * layout.column_stride);
    }
    static Wide value(const std::vector<T>& values, const MatrixLayout& layout, Integer matrix, Integer i,
                      Integer j) {
        const T found = values[index(layout, matrix, i, j)];
        return widened(layout.conjugated ? Parts<T>::conjugate(found) : found);
    }

    std::mt19937 random_;
    MatrixProduct product_;
    std::vector<T> a_, b_, c_, before_;
    T alpha_, beta_;
};

template <class T> class MatrixPlans : public testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MatrixPlans, Types);

TYPED_TEST(MatrixPlans, MultiplyMatricesOfEverySizeAndLayout) {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        Case<TypeParam> one(seed, seed % 10 == 0 ? 150 : 40);
        one.run(plan(one.product()));
        one.expect_right();
        if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    }
}

TYPED_TEST(MatrixPlans, HaveTheSameBitsForAnyThreadCount) {
    for (const Integer extent : {100, 450})
        for (unsigned seed = 1; seed <= 2; ++seed) {
            Case<TypeParam> one(seed, extent);
            const std::vector<TypeParam> alone = one.run(plan(one.product()));
            for (const int threads : {2, 3})
                EXPECT_EQ(one.run(plan(one.product(), {.threads = threads})), alone);
        }
}

TEST(MatrixPlan, ZeroKAndAlphaZeroOnlyScaleC) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> c = {1, 2, 3, 4};
    plan(MatrixProduct::column_major(DataType::float64, 2, 2, 0)).execute(5, nullptr, nullptr, 2, c.data());
    EXPECT_EQ(c, (std::vector<double>{2, 4, 6, 8}));
    const Plan two = plan(MatrixProduct::column_major(DataType::float64, 2, 2, 2));
    const std::vector<double> bad(4, nan);
    two.execute(0, bad.data(), bad.data(), 0.5, c.data());
    EXPECT_EQ(c, (std::vector<double>{1, 2, 3, 4}));
    c.assign(4, nan);
    two.execute(0, bad.data(), bad.data(), 0, c.data());
    EXPECT_EQ(c, (std::vector<double>{0, 0, 0, 0}));
    plan(MatrixProduct::column_major(DataType::float64, 0, 7, 3))
        .execute(1, nullptr, nullptr, 1, static_cast<double*>(nullptr));
}

TEST(MatrixPlan, InfinitiesAndNansSpreadAsTheStandardSays) {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> a = {1, infinity, 2, 3}, b = {0, 1, 1, 1};
    std::vector<double> c(4);
    plan(MatrixProduct::column_major(DataType::float64, 2, 2, 2)).execute(1, a.data(), b.data(), 0, c.data());
    EXPECT_EQ(c[0], 2);
    EXPECT_TRUE(std::isnan(c[1])); // infinity · 0 + 3
    EXPECT_EQ(c[2], 3);
    EXPECT_EQ(c[3], infinity);
}

TEST(MatrixPlan, ErrorsNameTheArgument) {
    const auto with = [](auto&& change) {
        MatrixProduct product = MatrixProduct::column_major(DataType::float64, 4, 4, 4);
        change(product);
        return error_of([&] { validate(product); });
    };
    using testing::IsSubstring;
    EXPECT_PRED_FORMAT2(IsSubstring, "rows is -1", with([](auto& p) { p.rows = -1; }));
    EXPECT_PRED_FORMAT2(IsSubstring, "batch is -2", with([](auto& p) { p.batch = -2; }));
    EXPECT_PRED_FORMAT2(IsSubstring, "a.conjugated", with([](auto& p) { p.a.conjugated = true; }));
    EXPECT_PRED_FORMAT2(IsSubstring, "c.conjugated", with([](auto& p) { p.c.conjugated = true; }));
    EXPECT_PRED_FORMAT2(IsSubstring, "elements of C overlap", with([](auto& p) { p.c.column_stride = 2; }));
    EXPECT_PRED_FORMAT2(IsSubstring, "elements of C overlap", with([](auto& p) { p.batch = 2; }));
    EXPECT_PRED_FORMAT2(IsSubstring, "B reaches beyond",
                        with([](auto& p) { p.b.row_stride = Integer{1} << 60; }));
    EXPECT_EQ("", with([](auto& p) { p.a.row_stride = p.a.column_stride = 0; }));

    const Plan two = plan(MatrixProduct::column_major(DataType::float64, 2, 2, 2));
    std::vector<double> a(4, 1), b(4, 1), c(5, 7);
    const auto executing = [&](const double* x, const double* y, double* z) {
        return error_of([&] { two.execute(1, x, y, 0, z); });
    };
    EXPECT_PRED_FORMAT2(IsSubstring, "'a' is a null", executing(nullptr, b.data(), c.data()));
    EXPECT_PRED_FORMAT2(IsSubstring, "'b' is a null", executing(a.data(), nullptr, c.data()));
    EXPECT_PRED_FORMAT2(IsSubstring, "'c' is a null", executing(a.data(), b.data(), nullptr));
    EXPECT_PRED_FORMAT2(IsSubstring, "overlap", executing(a.data(), c.data() + 1, c.data()));
    auto* const odd = reinterpret_cast<double*>(reinterpret_cast<char*>(c.data()) + 4);
    EXPECT_PRED_FORMAT2(IsSubstring, "not a multiple of 8", executing(a.data(), b.data(), odd));
    EXPECT_EQ(c, std::vector<double>(5, 7)) << "nothing is written before an error";
    std::vector<float> f(4);
    EXPECT_PRED_FORMAT2(IsSubstring, "a is an array of float",
                        error_of([&] { two.execute(1, f.data(), f.data(), 0, f.data()); }));
    EXPECT_PRED_FORMAT2(IsSubstring, "threads is -1",
                        error_of([&] { plan(two.problem(), {.threads = -1}); }));
}

TEST(MatrixPlan, ResultsAreAsAccurateAsIsAskedFor) {
    const Integer n = 130;
    std::vector<float> a(static_cast<std::size_t>(n * n)), b(a), c(a);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (std::vector<float>* operand : {&a, &b})
        for (float& x : *operand) x = uniform(random);
    for (const auto& [accuracy, bound] : {std::pair(Accuracy::ordinary, 0x1p-21),
                                          {Accuracy::reduced, 0x1p-16},
                                          {Accuracy::eleven_bits, 0x1p-9},
                                          {Accuracy::low, 0x1p-7}}) {
        const Plan planned =
            plan(MatrixProduct::column_major(DataType::float32, n, n, n), {.accuracy = accuracy});
        EXPECT_LE(planned.accuracy(), accuracy);
        planned.execute(1, a.data(), b.data(), 0, c.data());
        for (Integer j = 0; j < n; ++j)
            for (Integer i = 0; i < n; ++i) {
                double sum = 0, absolute = 0;
                for (Integer k = 0; k < n; ++k) {
                    const double term = double{a[static_cast<std::size_t>(i + k * n)]} *
                                        b[static_cast<std::size_t>(k + j * n)];
                    sum += term;
                    absolute += std::fabs(term);
                }
                ASSERT_LE(std::fabs(c[static_cast<std::size_t>(i + j * n)] - sum), bound * absolute);
            }
    }
}

TEST(MatrixPlan, ServesC) {
    const c::Problem problem = c::product(SWIRL_COMPLEX128, 1, 1, 1);
    const swirl_matrix_layout conjugated = {1, 1, 0, 1};
    ASSERT_EQ(swirl_problem_set_matrix(problem.get(), SWIRL_A, &conjugated), SWIRL_OK);
    const c::Plan plan = c::plan(problem);
    const double a[] = {1, 2}, b[] = {3, 4}, one[] = {1, 0};
    double c[] = {10, 20};
    EXPECT_EQ(swirl_execute_product(plan.get(), one, a, b, one, c), SWIRL_OK);
    EXPECT_EQ(c[0], 10 + 11);
    EXPECT_EQ(c[1], 20 - 2);
    EXPECT_EQ(swirl_execute_product(plan.get(), one, a, b, nullptr, c), SWIRL_USER_ERROR);
    const swirl_array arrays[] = {{"a", a, nullptr}, {"b", b, nullptr}, {"c", c, nullptr}};
    EXPECT_EQ(swirl_execute_arrays(plan.get(), arrays, 3, nullptr), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(c[0], 11) << "alpha is 1 and beta 0 unless given";
    c::expect_error(swirl_execute(plan.get(), a, c), SWIRL_USER_ERROR, "swirl_execute_product");
    swirl_options low = SWIRL_OPTIONS_INIT;
    low.accuracy = SWIRL_LOW;
    EXPECT_EQ(swirl_plan_accuracy(c::plan(problem, &low).get()), SWIRL_ORDINARY)
        << "complex products have no other";
    low.accuracy = SWIRL_LOW + 1;
    swirl_plan* none = nullptr;
    c::expect_error(swirl_plan_create(problem.get(), &low, &none), SWIRL_USER_ERROR, "accuracy");
    EXPECT_EQ(none, nullptr);
    swirl_problem* wrong = nullptr;
    c::expect_error(swirl_problem_create_product(99, 1, 1, 1, &wrong), SWIRL_USER_ERROR, "data_type");
    EXPECT_EQ(wrong, nullptr);
}

TEST(MatrixPlan, ProblemsFromCHaveTheSameText) {
    const c::Problem batch = c::product(SWIRL_FLOAT32, 3, 4, 5);
    ASSERT_EQ(swirl_problem_set_batch(batch.get(), 7), SWIRL_OK);
    EXPECT_EQ(c::text_of(batch), "gemm 3x4x5 float32 batch=7");
    const swirl_matrix_layout rows = {5, 1, 0, 0};
    ASSERT_EQ(swirl_problem_set_matrix(batch.get(), SWIRL_A, &rows), SWIRL_OK);
    EXPECT_EQ(c::text_of(batch), "gemm 3x4x5 float32 a=rows,shared batch=7");
    c::expect_error(swirl_problem_set_direction(batch.get(), SWIRL_BACKWARD), SWIRL_USER_ERROR, "product");
    c::expect_error(swirl_problem_set_matrix(batch.get(), 3, &rows), SWIRL_USER_ERROR, "matrix");
}

} // namespace matrix_test
} // namespace swirl
