// Formulas as problems through the interfaces of C++ and C.
#include <swirl/swirl.h>
#include <swirl/swirl.hpp>

#include "formula/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

namespace swirl {
namespace formula_interface_test {

constexpr const char* example = "(DFT(2) (x) I(4)) * T(8,4) * (I(2) (x) DFT(4)) * L(8,2)";

std::vector<std::complex<double>> signal() {
    std::vector<std::complex<double>> x;
    for (int k = 0; k < 8; ++k) x.emplace_back(std::cos(k), 1.0 / (k + 1));
    return x;
}

/// The DFT of 8 points by definition.
std::vector<std::complex<double>> spectrum_of(const std::vector<std::complex<double>>& x) {
    const std::vector<formula::Complex> input(x.begin(), x.end());
    std::vector<std::complex<double>> y;
    for (const formula::Complex& value : formula::apply(formula::DFT(8), input)) y.emplace_back(value);
    return y;
}

void expect_near(const std::vector<std::complex<double>>& a, const std::vector<std::complex<double>>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_LT(std::abs(a[k] - b[k]), 1e-14) << k;
}

TEST(AFormulaInCpp, IsAProblemByTextAndByBuilder) {
    const auto x = signal();
    for (const Problem& problem :
         {parse_problem(std::string("formula ") + example), Problem(Transform::formula(example))}) {
        std::vector<std::complex<double>> y(8);
        const Plan made = plan(problem);
        made.execute(x, y);
        expect_near(y, spectrum_of(x));
        Options again;
        again.schedule = made.schedule();
        std::vector<std::complex<double>> z(8);
        plan(problem, again).execute(x, z);
        EXPECT_EQ(y, z);
    }
}

TEST(AFormulaInCpp, MayBeRectangularAndReal) {
    std::vector<float> x{1, 2, 3, 4, 5, 6}, y(4);
    plan(Transform::real_formula("matrix(2, 3; 1, 1, 1, 1, 0, -1)",
                                 {.precision = DataType::float32, .batches = {{.count = 2}}}))
        .execute(x, y);
    EXPECT_EQ(y, (std::vector<float>{6, -2, 15, -2}));
}

TEST(AFormulaInCpp, IsMeasuredAndStored) {
    Options options;
    options.effort = Effort::measure;
    options.time_budget_seconds = 0.2;
    const auto x = signal();
    std::vector<std::complex<double>> y(8);
    plan(std::string("formula ") + example, options).execute(x, y);
    expect_near(y, spectrum_of(x));
    options.effort = Effort::exhaustive;
    plan("formula (DFT(8) ⊗ I(2)) · L(16, 2)", options);
}

TEST(AFormulaInCpp, UsesThreadsWithTheSameBits) {
    const std::string text =
        "formula (DFT(256) ⊗ I(256)) · T(65536, 256) · (I(256) ⊗ DFT(256)) · L(65536, 256)";
    std::vector<std::complex<double>> x(65536), y(65536), z(65536);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = {std::sin(static_cast<double>(k)), 1};
    Options options;
    plan(text, options).execute(x, y);
    options.threads = 2;
    plan(text, options).execute(x, z);
    EXPECT_EQ(y, z);
}

TEST(AFormulaInC, HasABuilderAndAText) {
    swirl_problem* problem = nullptr;
    ASSERT_EQ(swirl_problem_create_formula(example, &problem), SWIRL_OK) << swirl_last_error();
    char text[300] = {};
    EXPECT_EQ(swirl_problem_text(problem, text, sizeof text, nullptr), SWIRL_OK);
    EXPECT_EQ(std::string(text), "formula (DFT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ DFT(4)) · L(8, 2)");
    swirl_plan* made = nullptr;
    ASSERT_EQ(swirl_plan_create(problem, nullptr, &made), SWIRL_OK) << swirl_last_error();
    const auto x = signal();
    std::vector<std::complex<double>> y(8);
    ASSERT_EQ(swirl_execute(made, x.data(), y.data()), SWIRL_OK) << swirl_last_error();
    expect_near(y, spectrum_of(x));
    swirl_plan_destroy(made);
    swirl_problem_destroy(problem);
}

TEST(AFormulaInC, TakesRealDataByItsDataType) {
    swirl_problem* problem = nullptr;
    ASSERT_EQ(swirl_problem_create_formula("WHT(4)", &problem), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_data_type(problem, SWIRL_FLOAT64), SWIRL_OK);
    ASSERT_EQ(swirl_problem_add_batch(problem, 2), SWIRL_OK);
    swirl_plan* made = nullptr;
    ASSERT_EQ(swirl_plan_create(problem, nullptr, &made), SWIRL_OK) << swirl_last_error();
    const std::vector<double> x{1, 2, 3, 4, 1, 0, 0, 0};
    std::vector<double> y(8);
    ASSERT_EQ(swirl_execute(made, x.data(), y.data()), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(y, (std::vector<double>{10, -2, -4, 0, 1, 1, 1, 1}));
    swirl_plan_destroy(made);
    ASSERT_EQ(swirl_problem_set_data_type(problem, SWIRL_COMPLEX64), SWIRL_OK);
    char text[100] = {};
    EXPECT_EQ(swirl_problem_text(problem, text, sizeof text, nullptr), SWIRL_OK);
    EXPECT_EQ(std::string(text), "formula WHT(4) complex64 batch=2");
    swirl_problem_destroy(problem);
}

TEST(AFormulaInC, ReportsMistakes) {
    swirl_problem* problem = nullptr;
    EXPECT_EQ(swirl_problem_create_formula("DFT(4) * DFT(8)", &problem), SWIRL_USER_ERROR);
    EXPECT_NE(std::string(swirl_last_error()).find("4×4"), std::string::npos) << swirl_last_error();
    EXPECT_EQ(problem, nullptr);
    EXPECT_EQ(swirl_problem_create_formula(nullptr, &problem), SWIRL_USER_ERROR);
    EXPECT_EQ(swirl_problem_create_formula("I(2)", nullptr), SWIRL_USER_ERROR);
}

} // namespace formula_interface_test
} // namespace swirl
