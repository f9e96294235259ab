#include <swirl/swirl.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace c_test {

using Complex = std::complex<double>;

struct Destroy {
    void operator()(swirl_plan* plan) const { swirl_plan_destroy(plan); }
    void operator()(swirl_problem* problem) const { swirl_problem_destroy(problem); }
};
using OwnedPlan = std::unique_ptr<swirl_plan, Destroy>;
using OwnedProblem = std::unique_ptr<swirl_problem, Destroy>;

OwnedPlan plan_of(const char* text) {
    swirl_plan* plan = nullptr;
    EXPECT_EQ(swirl_plan_from_text(text, SWIRL_ESTIMATE, &plan), SWIRL_OK) << swirl_last_error();
    return OwnedPlan(plan);
}

OwnedProblem problem_of(int kind, const std::vector<std::int64_t>& lengths) {
    swirl_problem* problem = nullptr;
    EXPECT_EQ(swirl_problem_create(kind, lengths.size(), lengths.data(), &problem), SWIRL_OK);
    return OwnedProblem(problem);
}

std::string text_of(const swirl_problem* problem) {
    std::array<char, 200> text{};
    EXPECT_EQ(swirl_problem_text(problem, text.data(), text.size(), nullptr), SWIRL_OK) << swirl_last_error();
    return text.data();
}

/// Failed with this status, and a message that has these words.
void expect_error(swirl_status status, swirl_status expected, const std::string& words) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::string(swirl_last_error()).find(words), std::string::npos) << swirl_last_error();
}

TEST(C, TransformsAnImpulse) {
    const OwnedPlan plan = plan_of("dft 12");
    std::vector<Complex> x(12), y(12);
    x[0] = {2, 1};
    ASSERT_EQ(swirl_execute(plan.get(), x.data(), y.data()), SWIRL_OK) << swirl_last_error();
    for (const Complex& value : y) EXPECT_LT(std::abs(value - Complex(2, 1)), 1e-15);
}

TEST(C, BuildsProblemsStepByStep) {
    const OwnedProblem problem = problem_of(SWIRL_DFT, {6, 10});
    EXPECT_EQ(text_of(problem.get()), "dft 6x10");
    const std::int64_t strides[] = {1, 6};
    EXPECT_EQ(swirl_problem_set_direction(problem.get(), SWIRL_BACKWARD), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_precision(problem.get(), SWIRL_FLOAT32), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_placement(problem.get(), SWIRL_OUT_OF_PLACE), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_layout(problem.get(), SWIRL_INTERLEAVED), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_scale(problem.get(), 0.5), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_strides(problem.get(), SWIRL_INPUT, strides), SWIRL_OK);
    EXPECT_EQ(swirl_problem_add_batch(problem.get(), 2), SWIRL_OK);
    EXPECT_EQ(swirl_problem_add_strided_batch(problem.get(), 3, 60, 61), SWIRL_OK);
    EXPECT_EQ(text_of(problem.get()), "dft 6x10 backward float32 in=(1,6) batch=2x3:(60,61) scale=0.5");

    swirl_plan* plan = nullptr;
    ASSERT_EQ(swirl_plan_create(problem.get(), SWIRL_ESTIMATE | SWIRL_NO_WISDOM, &plan), SWIRL_OK)
        << swirl_last_error();
    const OwnedPlan owned(plan);
    EXPECT_EQ(swirl_plan_problem(plan), text_of(problem.get()));
    EXPECT_NE(std::string(swirl_plan_recipe(plan)), "");
    EXPECT_GT(swirl_plan_flops(plan), 0);
    EXPECT_GT(swirl_plan_bytes(plan), 0);
}

TEST(C, ShortensTextsAndTellsTheirLength) {
    const OwnedProblem problem = problem_of(SWIRL_DFT, {1024});
    std::array<char, 6> text{};
    std::size_t length = 0;
    EXPECT_EQ(swirl_problem_text(problem.get(), text.data(), text.size(), &length), SWIRL_OK);
    EXPECT_STREQ(text.data(), "dft 1");
    EXPECT_EQ(length, 8U);
    EXPECT_EQ(swirl_problem_text(problem.get(), nullptr, 0, &length), SWIRL_OK);
}

TEST(C, UsesTheCallersWorkspace) {
    const OwnedPlan plan = plan_of("dft 4096");
    const std::size_t bytes = swirl_plan_workspace_bytes(plan.get());
    ASSERT_GT(bytes, 0U);
    std::vector<Complex> x(4096, 1.0), y(4096);
    const std::unique_ptr<void, void (*)(void*)> memory(std::aligned_alloc(64, (bytes + 63) / 64 * 64),
                                                        std::free);
    ASSERT_EQ(swirl_execute_with_workspace(plan.get(), x.data(), y.data(), memory.get(), bytes), SWIRL_OK);
    EXPECT_NEAR(y[0].real(), 4096, 1e-10);
    expect_error(swirl_execute_with_workspace(plan.get(), x.data(), y.data(), memory.get(), bytes - 1),
                 SWIRL_USER_ERROR, "workspace");
}

TEST(C, ExecutesPlanarData) {
    const OwnedPlan plan = plan_of("dft 8 planar");
    std::vector<double> x(8, 1.0), zero(8, 0.0), y(8), y_imaginary(8, 1.0);
    ASSERT_EQ(swirl_execute_planar(plan.get(), x.data(), zero.data(), y.data(), y_imaginary.data()), SWIRL_OK)
        << swirl_last_error();
    EXPECT_EQ(y, (std::vector<double>{8, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(y_imaginary, zero);
    expect_error(swirl_execute(plan.get(), x.data(), y.data()), SWIRL_USER_ERROR, "swirl_execute_planar");
    expect_error(
        swirl_execute_planar(plan_of("dft 8").get(), x.data(), zero.data(), y.data(), y_imaginary.data()),
        SWIRL_USER_ERROR, "swirl_execute");
}

TEST(C, NamesArgumentsThatCannotBe) {
    swirl_problem* problem = nullptr;
    const std::int64_t length = 8;
    expect_error(swirl_problem_create(99, 1, &length, &problem), SWIRL_USER_ERROR, "kind");
    EXPECT_EQ(problem, nullptr);
    expect_error(swirl_problem_create(-1, 1, &length, &problem), SWIRL_USER_ERROR, "kind");
    expect_error(swirl_problem_create(SWIRL_DFT, 0, &length, &problem), SWIRL_USER_ERROR, "rank");
    expect_error(swirl_problem_create(SWIRL_DFT, std::size_t{1} << 62, &length, &problem), SWIRL_USER_ERROR,
                 "at most 64");
    expect_error(swirl_problem_create(SWIRL_DFT, 1, nullptr, &problem), SWIRL_USER_ERROR, "lengths");
    expect_error(swirl_problem_create(SWIRL_DFT, 1, &length, nullptr), SWIRL_USER_ERROR, "problem");

    const OwnedProblem good = problem_of(SWIRL_DFT, {8});
    expect_error(swirl_problem_set_direction(good.get(), 2), SWIRL_USER_ERROR, "direction");
    expect_error(swirl_problem_set_precision(good.get(), 4), SWIRL_USER_ERROR, "precision");
    expect_error(swirl_problem_set_layout(good.get(), 7), SWIRL_USER_ERROR, "layout");
    expect_error(swirl_problem_set_placement(good.get(), -3), SWIRL_USER_ERROR, "placement");
    expect_error(swirl_problem_set_strides(good.get(), 2, &length), SWIRL_USER_ERROR, "side");
    expect_error(swirl_problem_set_strides(good.get(), SWIRL_INPUT, nullptr), SWIRL_USER_ERROR, "strides");
    expect_error(swirl_problem_set_scale(nullptr, 1), SWIRL_USER_ERROR, "problem");
    EXPECT_EQ(text_of(good.get()), "dft 8");

    swirl_plan* plan = nullptr;
    expect_error(swirl_plan_from_text(nullptr, 0, &plan), SWIRL_USER_ERROR, "problem");
    expect_error(swirl_plan_from_text("dft 8", 0, nullptr), SWIRL_USER_ERROR, "plan");
    expect_error(swirl_plan_from_text("dft 8", 64, &plan), SWIRL_USER_ERROR, "flags");
    expect_error(swirl_plan_from_text("dft 8", 16 | SWIRL_EXHAUSTIVE, &plan), SWIRL_USER_ERROR, "flags");
    expect_error(swirl_plan_from_text("dft 8 sideways", 0, &plan), SWIRL_USER_ERROR, "expected an option");
    expect_error(swirl_plan_from_text("dft 0", 0, &plan), SWIRL_USER_ERROR, "length of dimension 0 is 0");
    EXPECT_EQ(plan, nullptr);

    std::vector<Complex> x(8, 1.0), y(8, 5.0);
    expect_error(swirl_execute(nullptr, x.data(), y.data()), SWIRL_USER_ERROR, "plan");
    const OwnedPlan good_plan = plan_of("dft 8");
    expect_error(swirl_execute(good_plan.get(), nullptr, y.data()), SWIRL_USER_ERROR, "input");
    expect_error(swirl_execute(good_plan.get(), x.data(), nullptr), SWIRL_USER_ERROR, "output");
    expect_error(swirl_execute(good_plan.get(), x.data(), x.data() + 4), SWIRL_USER_ERROR, "overlap");
    EXPECT_EQ(y, std::vector<Complex>(8, 5.0)) << "written before the error";
}

TEST(C, SearchesExhaustively) {
    swirl_plan* plan = nullptr;
    ASSERT_EQ(swirl_plan_from_text("wht 4", SWIRL_EXHAUSTIVE | SWIRL_NO_WISDOM, &plan), SWIRL_OK)
        << swirl_last_error();
    const double x[4] = {1, 0, 0, 0};
    double y[4] = {};
    EXPECT_EQ(swirl_execute(plan, x, y), SWIRL_OK);
    for (const double value : y) EXPECT_EQ(value, 1);
    swirl_plan_destroy(plan);
}

TEST(C, PlansForSeveralThreads) {
    swirl_plan* plan = nullptr;
    expect_error(swirl_plan_from_text_for_threads("dft 8", 0, -1, &plan), SWIRL_USER_ERROR, "threads is -1");
    ASSERT_EQ(swirl_plan_from_text_for_threads("dft 8", SWIRL_NO_WISDOM, 0, &plan), SWIRL_OK);
    EXPECT_EQ(swirl_plan_threads(plan), 1) << "too small to be shared";
    swirl_plan_destroy(plan);
    std::vector<Complex> x(65536), one(x.size()), two(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
        x[k] = {static_cast<double>(k % 17), static_cast<double>(k % 5)};
    const OwnedPlan for_one = plan_of("dft 65536");
    EXPECT_EQ(swirl_plan_threads(for_one.get()), 1);
    ASSERT_EQ(swirl_plan_from_text_for_threads("dft 65536", SWIRL_NO_WISDOM, 2, &plan), SWIRL_OK);
    EXPECT_EQ(swirl_plan_threads(plan), 2);
    EXPECT_EQ(swirl_execute(for_one.get(), x.data(), one.data()), SWIRL_OK);
    EXPECT_EQ(swirl_execute(plan, x.data(), two.data()), SWIRL_OK);
    EXPECT_EQ(one, two);
    swirl_plan_destroy(plan);
    EXPECT_EQ(swirl_plan_threads(nullptr), 0);
}

TEST(C, KeepsMessagesApartByThread) {
    swirl_plan* plan = nullptr;
    EXPECT_EQ(swirl_plan_from_text("dft 0", 0, &plan), SWIRL_USER_ERROR);
    std::string elsewhere = "?";
    std::thread([&] { elsewhere = swirl_last_error(); }).join();
    EXPECT_EQ(elsewhere, "");
    EXPECT_NE(std::string(swirl_last_error()), "");
}

TEST(C, ToleratesNullWhereItSaysSo) {
    swirl_plan_destroy(nullptr);
    swirl_problem_destroy(nullptr);
    EXPECT_EQ(swirl_plan_problem(nullptr), nullptr);
    EXPECT_EQ(swirl_plan_recipe(nullptr), nullptr);
    EXPECT_EQ(swirl_plan_workspace_bytes(nullptr), 0U);
}

/// The header and the first program, as strict C99.
TEST(C, IsC99) {
    const std::string command = std::string(SWIRL_C_COMPILER) +
                                " -std=c99 -Wall -Wextra -pedantic -Werror -fsyntax-only -I" +
                                SWIRL_SOURCE_DIR + "/include " + SWIRL_SOURCE_DIR + "/examples/first.c";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

} // namespace c_test
