#include "api/c_interface.hpp"
#include "problem/expression.hpp"
#include "support/error_of.hpp"
#include "support/random_matrix.hpp"
#include "support/special_values.hpp"

#include <gtest/gtest.h>
#include <swirl/swirl.hpp>

#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace swirl {
namespace matrix_epilogue_test {

using Wide = std::complex<double>;

/// A product with an epilogue, its operands and arrays, and what the definition makes of them.
template <class T> class Case {
public:
    using Real = typename support::RealOf<T>::type;

    Case(const MatrixProduct& product, const std::string& epilogue, unsigned seed)
        : random_(seed), product_(product) {
        product_.epilogue = Expression(epilogue);
        a_ = filled(product_.a, product_.rows, product_.k);
        b_ = filled(product_.b, product_.k, product_.columns);
        before_ = filled(product_.c, product_.rows, product_.columns);
        alpha_ = T(static_cast<Real>(seed % 3 == 0 ? 1.0 : -0.75));
        beta_ = T(static_cast<Real>(seed % 5 < 2 ? seed % 5 : 0.5));
        if (beta_ == T(0))
            for (T& value : before_) value = T(std::numeric_limits<Real>::quiet_NaN());
        for (const AuxiliaryArray& array : arrays_of(product_)) {
            std::vector<Real>& values = arrays_[array.name];
            values.resize(static_cast<std::size_t>(array.elements * (array.is_complex ? 2 : 1)));
            for (Real& value : values) value = support::random_real<Real>(random_);
        }
    }

    Plan planned(int threads) const {
        Plan result = plan(product_, {.threads = threads});
        for (const AuxiliaryArray& array : arrays_of(product_)) {
            const Real* const values = arrays_.at(array.name).data();
            result = array.is_complex
                         ? result.with(array.name, reinterpret_cast<const std::complex<Real>*>(values))
                         : result.with(array.name, values);
        }
        return result;
    }

    std::vector<T> run(int threads) const {
        std::vector<T> c = before_;
        planned(threads).execute(alpha_, a_.data(), b_.data(), beta_, c.data());
        return c;
    }

    void set_alpha(T alpha) { alpha_ = alpha; }

    void expect_right(const std::vector<T>& c) const {
        const double epsilon = std::numeric_limits<Real>::epsilon();
        for (Integer matrix = 0; matrix < product_.batch; ++matrix)
            for (Integer i = 0; i < product_.rows; ++i)
                for (Integer j = 0; j < product_.columns; ++j) {
                    const Wide expected = finished(matrix, i, j);
                    const Wide found = c[support::offset_in(product_.c, matrix, i, j)];
                    ASSERT_LE(std::abs(found - expected),
                              epsilon * (32 + 8 * static_cast<double>(product_.k)) * (1 + std::abs(expected)))
                        << product_.epilogue.text() << " at " << i << ", " << j << " of " << product_.rows
                        << " by " << product_.columns << " by " << product_.k << ", matrix " << matrix;
                }
    }

    const MatrixProduct& product() const { return product_; }

private:
    std::vector<T> filled(const MatrixLayout& layout, Integer rows, Integer columns) {
        return support::random_matrices<T>(random_, layout, product_.batch, rows, columns);
    }
    Wide finished(Integer matrix, Integer i, Integer j) const {
        Wide sum = 0;
        for (Integer k = 0; k < product_.k && alpha_ != T(0); ++k)
            sum += Wide(a_[support::offset_in(product_.a, matrix, i, k)]) *
                   Wide(b_[support::offset_in(product_.b, matrix, k, j)]);
        Wide x = Wide(alpha_) * sum;
        if (beta_ != T(0)) x += Wide(beta_) * Wide(before_[support::offset_in(product_.c, matrix, i, j)]);
        const auto index = [&](const std::string& name) {
            return name == "b" ? matrix : name == "i" ? i : j;
        };
        const auto length = [&](const std::string& name) {
            return name == "b" ? product_.batch : name == "i" ? product_.rows : product_.columns;
        };
        const auto element = [&](const ExpressionNode& array) -> Wide {
            Integer at = 0;
            for (const std::string& name : array.indices) at = at * length(name) + index(name);
            const std::vector<Real>& values = arrays_.at(array.name);
            const auto scalar = [&](Integer k) { return values[static_cast<std::size_t>(k)]; };
            return array.is_complex ? Wide(scalar(2 * at), scalar(2 * at + 1)) : Wide(scalar(at));
        };
        return evaluate(product_.epilogue.tree()->value, {x, index, element});
    }

    std::mt19937 random_;
    MatrixProduct product_;
    std::vector<T> a_, b_, before_;
    std::map<std::string, std::vector<Real>> arrays_;
    T alpha_, beta_;
};

constexpr const char* real_epilogues[] = {
    "2 * x",
    "x + bias[i]",
    "x + bias[i] < 0 ? 0 : x + bias[i]",
    "max(0, x * scale[j] + shift[j])",
    "min(1, max(-1, x + residual[i, j]))",
    "x * s[] + residual[j, i]",
    "i <= j and not j == 3 ? x : 0.125 * i - j",
    "x + t[b, j] * b + (i - 2 * j + 3 >= 0 ? 1 : 0)",
    "x < 0 ? 0.25 * x : x",
    "gelu(x + bias[i]) - tanh(0.5 * x)",
    "sigmoid(x) * x + exp(-abs(x)) / (2 + abs(bias[i]))",
    "sqrt(1 + abs(x)) / max(1, min(x, 3))",
};
constexpr const char* complex_epilogues[] = {
    "conj(x) + complex bias[i]",        "x * complex h[i, j] - complex g[j]",
    "re(x) < 0 ? x : im(x) + scale[j]", "x / (1 + sqrt(abs2(x))) + tanh(re(x))",
    "complex(abs2(x), i) * 0.5",        "-x + (i == j ? complex d[i] : 0)",
};

MatrixProduct product_of(DataType data_type, Integer rows, Integer columns, Integer k, int layout) {
    if (layout == 1) return MatrixProduct::row_major(data_type, rows, columns, k);
    MatrixProduct product = MatrixProduct::column_major(data_type, rows, columns, k);
    if (layout == 2) product.c = {.row_stride = 2, .column_stride = 2 * rows + 1};
    return product;
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T> void expect_all(const std::vector<const char*>& epilogues) {
    unsigned seed = 0;
    for (const auto& [rows, columns, k_extent] :
         {std::array<Integer, 3>{5, 7, 3}, {33, 17, 40}, {70, 61, 300}, {400, 390, 9}, {17, 420, 2100}})
        for (const int layout : {0, 1, 2})
            for (const char* epilogue : epilogues) {
                if (rows * columns * k_extent > 1000000 && (seed + static_cast<unsigned>(layout)) % 3 != 0) {
                    ++seed;
                    continue; // enough of the large ones
                }
                Case<T> test(product_of(data_type_of<T>(), rows, columns, k_extent, layout), epilogue,
                             ++seed);
                const std::vector<T> one = test.run(1);
                test.expect_right(one);
                EXPECT_TRUE(same_bits(test.run(2), one)) << epilogue;
            }
}

TEST(MatrixEpilogue, IsItsDefinitionForEverySizeAndLayout) {
    const std::vector<const char*> real(std::begin(real_epilogues), std::end(real_epilogues));
    expect_all<float>(real);
    expect_all<double>(real);
}

TEST(MatrixEpilogue, SupportsComplexTypes) {
    const std::vector<const char*> complex(std::begin(complex_epilogues), std::end(complex_epilogues));
    expect_all<std::complex<float>>(complex);
    expect_all<std::complex<double>>(complex);
}

TEST(MatrixEpilogue, KnowsTheMatricesOfABatch) {
    unsigned seed = 0;
    for (const Integer extent : {4, 30, 100})
        for (const int layout : {0, 1})
            for (const char* epilogue : {"x + t[b, j] * b", "x * s[b] + r[b, i, j]", "x + bias[i]"}) {
                MatrixProduct product = product_of(DataType::float64, extent, extent + 1, extent, layout);
                product.batch = 7;
                product.a.batch_stride = extent * extent;
                product.b.batch_stride = product.c.batch_stride = extent * (extent + 1);
                Case<double> test(product, epilogue, ++seed);
                const std::vector<double> one = test.run(1);
                test.expect_right(one);
                EXPECT_TRUE(same_bits(test.run(2), one)) << epilogue;
            }
}

/// Where C is scattered functions are evaluated without machine code.
TEST(MatrixEpilogue, FunctionsHaveTheSameBitsInTilesAndInMemory) {
    const std::string cpu = plan(MatrixProduct::column_major(DataType::float32, 100, 100, 100)).description();
    if (cpu.starts_with("sse2")) GTEST_SKIP() << "multiply-adds of this CPU round twice: " << cpu;
    const auto expect_same = [](auto example) {
        using T = decltype(example);
        constexpr Integer rows = 61, columns = 47, k_extent = 700;
        const auto elements = [&](int layout) {
            const MatrixProduct product = product_of(data_type_of<T>(), rows, columns, k_extent, layout);
            const std::vector<T> c =
                Case<T>(product, "exp(x / 8) - gelu(x) + tanh(x) * sigmoid(2 * x)", 5).run(1);
            std::vector<T> result;
            for (Integer j = 0; j < columns; ++j)
                for (Integer i = 0; i < rows; ++i)
                    result.push_back(
                        c[static_cast<std::size_t>(i * product.c.row_stride + j * product.c.column_stride)]);
            return result;
        };
        EXPECT_TRUE(same_bits(elements(0), elements(2)));
    };
    expect_same(float{});
    expect_same(double{});
}

TEST(MatrixEpilogue, FinishesWhatIsOnlyScaled) {
    for (const int layout : {0, 1, 2})
        for (unsigned seed : {1U, 2U, 3U}) {
            Case<float> nothing(product_of(DataType::float32, 9, 70, 0, layout), "x * scale[j] + bias[i]",
                                seed);
            nothing.expect_right(nothing.run(1));
            Case<float> scaled(product_of(DataType::float32, 9, 70, 5, layout), "x + bias[i] * j", seed);
            scaled.set_alpha(0);
            scaled.expect_right(scaled.run(1));
        }
}

TEST(MatrixEpilogue, HasTheNansAndInfinitiesOfItsArithmetic) {
    for (const char* cpu : {"sse2", "avx2", "avx512", "portable"})
        for (const support::SpecialExpression& expression : support::special_expressions) {
            SCOPED_TRACE(std::string(cpu) + ": " + expression.text);
            MatrixProduct product = MatrixProduct::column_major(DataType::float64, 14, 3, 1);
            product.epilogue = Expression(expression.text);
            Plan plan;
            try {
                plan = swirl::plan(product, {.cpu = cpu, .use_wisdom = false});
            } catch (const Unavailable&) {
                continue;
            }
            std::vector<double> a(14), b(3, 1), c(14 * 3);
            for (std::size_t i = 0; i < a.size(); ++i)
                a[i] = support::special_values[i % support::special_values.size()] + 0.0; // sums have no −0
            plan.execute(1.0, a.data(), b.data(), 0.0, c.data());
            for (std::size_t k = 0; k < c.size(); ++k)
                support::expect_same_value(c[k], expression.value(a[k % a.size()]));
        }
}

TEST(MatrixEpilogue, SaysWhatDoesNotFit) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float64, 4, 4, 4);
    const auto of = [&](const char* text) {
        product.epilogue = Expression(text);
        return error_of([&] { plan(product); });
    };
    EXPECT_NE(of("x + w[k]").find("no index k"), std::string::npos);
    EXPECT_NE(of("x where i < j").find("where"), std::string::npos);
    EXPECT_NE(of("complex(x, 0)").find("result is complex"), std::string::npos);
    EXPECT_NE(of("x < 0").find("condition"), std::string::npos);
    EXPECT_NE(of("x + w[i] + w[j]").find("different"), std::string::npos);
    EXPECT_NE(of("1 / (x < 0)").find("arithmetic with a condition"), std::string::npos);
    EXPECT_NE(of("x + exp[i]").find("named exp"), std::string::npos);
    EXPECT_NE(of("x + float16 w[i]").find("another type"), std::string::npos);
    EXPECT_NE(of("x + max[i]").find("named max"), std::string::npos);

    product.epilogue = Expression("x + bias[i]");
    const Plan without = plan(product);
    std::vector<double> a(16), b(16), c(16), bias(4);
    const auto execute = [&](const Plan& with) { with.execute(1, a.data(), b.data(), 0, c.data()); };
    EXPECT_NE(error_of([&] { execute(without); }).find("array bias"), std::string::npos);
    EXPECT_NE(error_of([&] { without.with("scale", bias.data()); }).find("it has: bias"), std::string::npos);
    EXPECT_NE(error_of([&] { execute(without.with("bias", c.data() + 3)); }).find("overlap"),
              std::string::npos);
    const std::vector<float> narrow(4);
    EXPECT_NE(error_of([&] { without.with("bias", narrow.data()); }).find("it takes double"),
              std::string::npos);
    const double* const null = nullptr;
    EXPECT_NE(error_of([&] { without.with("bias", null); }).find("null"), std::string::npos);
    execute(without.with("bias", bias.data()));
}

TEST(MatrixEpilogue, ServesC) {
    const c::Problem problem = c::product(SWIRL_FLOAT64, 2, 2, 1);
    ASSERT_EQ(swirl_problem_set_epilogue(problem.get(), "max(0, x + bias[i])"), SWIRL_OK);
    const c::Plan plan = c::plan(problem);
    const double a[] = {1, -2}, b[] = {3, 4}, bias[] = {-3.5, 7}, one = 1, zero = 0;
    double c[4];
    const swirl_array arrays[] = {
        {"a", a, nullptr}, {"b", b, nullptr}, {"c", c, nullptr}, {"bias", bias, nullptr}};
    EXPECT_EQ(swirl_execute_arrays(plan.get(), arrays, 4, nullptr), SWIRL_OK) << swirl_last_error();
    const double expected[] = {0, 1, 0.5, 0};
    for (int k = 0; k < 4; ++k) EXPECT_EQ(c[k], expected[k]);
    EXPECT_EQ(swirl_execute_product(plan.get(), &one, a, b, &zero, c), SWIRL_USER_ERROR);
    const swirl_array others[] = {
        {"a", a, nullptr}, {"b", b, nullptr}, {"c", c, nullptr}, {"scale", bias, nullptr}};
    EXPECT_EQ(swirl_execute_arrays(plan.get(), others, 4, nullptr), SWIRL_USER_ERROR);
}

} // namespace matrix_epilogue_test
} // namespace swirl
