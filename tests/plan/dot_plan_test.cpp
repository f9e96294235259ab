#include "gemm/cpu/dot_gemm.hpp"
#include "plan/gemm/cpu/plan.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace swirl::planning::test {
namespace dot_plan_test {

template <class T> constexpr bool is_complex_type = !std::is_floating_point_v<T>;
template <class T>
using Wide = std::conditional_t<is_complex_type<T>, std::complex<long double>, long double>;

template <class T> Wide<T> wide(const T& value, bool conjugated = false) {
    if constexpr (is_complex_type<T>) {
        const std::complex<long double> result{value.real(), value.imag()};
        return conjugated ? std::conj(result) : result;
    } else {
        return value;
    }
}

template <class T> DataType data_type_of() {
    if constexpr (std::is_same_v<T, float>) return DataType::float32;
    if constexpr (std::is_same_v<T, double>) return DataType::float64;
    if constexpr (std::is_same_v<T, std::complex<float>>) return DataType::complex64;
    return DataType::complex128;
}

template <class T> T random_number(std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    if constexpr (is_complex_type<T>) {
        using Part = typename T::value_type;
        const double real = uniform(random);
        return T(static_cast<Part>(real), static_cast<Part>(uniform(random)));
    } else {
        return static_cast<T>(uniform(random));
    }
}

/// A product with lanes along K, and its operands; C has a gap between columns, which holds NaN, as has all of C if it may
/// not be read.
template <class T> struct Case {
    MatrixProduct product;
    std::vector<T> a, b, c;
    T alpha = 1, beta = 0;

    Case(Integer rows, Integer columns, Integer k, unsigned which, std::mt19937& random) {
        product = {.data_type = data_type_of<T>(), .rows = rows, .columns = columns, .k = k};
        const auto layout = [](Integer down, Integer across, unsigned kind) -> MatrixLayout {
            if (kind == 0) return {.row_stride = 1, .column_stride = down};
            if (kind == 1) return {.row_stride = across + 3, .column_stride = 1};
            if (kind == 2) return {.row_stride = 2, .column_stride = 2 * down + 1};
            return {.row_stride = across, .column_stride = 1};
        };
        product.a = layout(rows, k, which % 4);
        product.b = layout(k, columns, which / 4 % 4);
        product.a.conjugated = is_complex_type<T> && which % 3 == 0;
        product.b.conjugated = is_complex_type<T> && which % 5 < 2;
        product.c = {.row_stride = 1, .column_stride = rows + which % 2};
        a.resize(static_cast<std::size_t>((2 * rows + 4) * (2 * k + 4)));
        b.resize(static_cast<std::size_t>((2 * columns + 4) * (2 * k + 4)));
        for (T& value : a) value = random_number<T>(random);
        for (T& value : b) value = random_number<T>(random);
        if (which % 7 > 3) alpha = random_number<T>(random);
        if (which % 3 == 1) beta = 1;
        if (which % 3 == 2) beta = random_number<T>(random);
        c.assign(static_cast<std::size_t>(product.c.column_stride * columns),
                 T(std::numeric_limits<float>::quiet_NaN()));
        if (beta != T(0))
            for (Integer j = 0; j < columns; ++j)
                for (Integer i = 0; i < rows; ++i) at(c, i, j) = random_number<T>(random);
    }

    T& at(std::vector<T>& of, Integer i, Integer j) const {
        return of[static_cast<std::size_t>(i + j * product.c.column_stride)];
    }

    std::vector<T> executed(int threads) const {
        const MatrixPlan plan(
            product,
            {target::host_cpu().name, gemm::CpuGemm{gemm::model_dot(canonical(product), target::host_cpu())}},
            {.threads = threads});
        std::vector<T> result = c;
        plan.execute({&alpha, a.data(), b.data(), &beta, result.data()},
                     scalar_kind(product.data_type, &alpha), scalar_kind(product.data_type, &beta));
        return result;
    }

    void expect_right(std::vector<T> result) {
        using Part = decltype(std::abs(T()));
        for (Integer j = 0; j < product.columns; ++j)
            for (Integer i = 0; i < product.rows; ++i) {
                Wide<T> sum = 0;
                for (Integer k = 0; k < product.k; ++k)
                    sum += wide(a[static_cast<std::size_t>(i * product.a.row_stride +
                                                           k * product.a.column_stride)],
                                product.a.conjugated) *
                           wide(b[static_cast<std::size_t>(k * product.b.row_stride +
                                                           j * product.b.column_stride)],
                                product.b.conjugated);
                sum *= wide(alpha);
                if (beta != T(0)) sum += wide(beta) * wide(at(c, i, j));
                const long double most =
                    4 * std::numeric_limits<Part>::epsilon() * static_cast<long double>(product.k + 4);
                ASSERT_LE(std::abs(wide(at(result, i, j)) - sum), most)
                    << i << ", " << j << " of " << product.rows << "x" << product.columns << "x" << product.k;
            }
    }
};

template <class T> class DotPlans : public testing::Test {
protected:
    void SetUp() override {
        if (cpu_for_products().set == target::InstructionSet::portable)
            GTEST_SKIP() << "generated code cannot run here";
    }
};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(DotPlans, Types);

TYPED_TEST(DotPlans, EqualTheDefinitionForEveryShapeLayoutAndUpdate) {
    std::mt19937 random(11);
    unsigned which = 0;
    for (Integer rows = 1; rows <= 9; ++rows)
        for (Integer columns = 1; columns <= 9; columns += 1 + static_cast<Integer>(random() % 3))
            for (const Integer k :
                 {1 + static_cast<Integer>(random() % 30), 1 + static_cast<Integer>(random() % 200)}) {
                Case<TypeParam> one(rows, columns, k, which++, random);
                one.expect_right(one.executed(1));
            }
    for (const auto& [rows, columns, k] :
         {std::array<Integer, 3>{300, 1, 2100}, {2, 130, 700}, {1, 1, 40000}}) {
        Case<TypeParam> one(rows, columns, k, which += 5, random);
        one.expect_right(one.executed(1));
    }
}

TYPED_TEST(DotPlans, HaveTheSameBitsAtAnyNumberOfThreads) {
    std::mt19937 random(12);
    for (const auto& [rows, columns, k] :
         {std::array<Integer, 3>{1003, 1, 1200}, {5, 901, 600}, {2, 3, 90000}, {77, 8, 5000}}) {
        Case<TypeParam> one(rows, columns, k, 5 + static_cast<unsigned>(4 * rows), random);
        const std::vector<TypeParam> alone = one.executed(1);
        one.expect_right(alone);
        for (const int threads : {2, 5}) {
            const std::vector<TypeParam> shared = one.executed(threads);
            EXPECT_EQ(std::memcmp(shared.data(), alone.data(), alone.size() * sizeof(TypeParam)), 0)
                << rows << " " << columns << " " << threads;
        }
    }
}

TEST(DotPlan, InfinitiesAndNansReachTheirElementsOnly) {
    if (cpu_for_products().set == target::InstructionSet::portable)
        GTEST_SKIP() << "generated code cannot run here";
    std::mt19937 random(13);
    for (const Integer k : {5, 16, 77}) {
        Case<float> one(9, 3, k, 3, random);
        one.a[static_cast<std::size_t>(2 * one.product.a.row_stride + k - 1)] =
            std::numeric_limits<float>::infinity();
        one.a[static_cast<std::size_t>(7 * one.product.a.row_stride)] =
            std::numeric_limits<float>::quiet_NaN();
        std::vector<float> result = one.executed(1);
        for (Integer j = 0; j < 3; ++j)
            for (Integer i = 0; i < 9; ++i) {
                EXPECT_EQ(std::isinf(one.at(result, i, j)), i == 2) << i << " " << j;
                EXPECT_EQ(std::isnan(one.at(result, i, j)), i == 7) << i << " " << j;
            }
    }
}

} // namespace dot_plan_test
} // namespace swirl::planning::test
