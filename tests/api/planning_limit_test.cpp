// Options::planning_limit_seconds.

#include <swirl/swirl.hpp>

#include "api/c_interface.hpp"
#include "support/cuda_fixture.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace swirl {
namespace planning_limit_test {

using runtime::expect_contains;

std::string refusal(const char* problem, const Options& options) {
    return error_of<OutOfTime>([&] { swirl::plan(problem, options); });
}

Options limited(double seconds) {
    Options options;
    options.planning_limit_seconds = seconds;
    options.use_wisdom = false;
    return options;
}

TEST(PlanningLimit, RefusesBeforeTheWorkBegins) {
    expect_contains(refusal("dft 2^22", limited(0.05)),
                    {"planning will take about", "planning_limit_seconds is 0.05", "problem: dft 4194304",
                     "check = false"});
    EXPECT_EQ(refusal("dft 64", limited(1)), "");
    EXPECT_EQ(refusal("gemm 8x8x8", limited(1)), "");
    expect_contains(refusal("gemm 8x8x8", limited(1e-9)), {"gemm 8x8x8", "compile kernels"});
}

TEST(PlanningLimit, HoldsForTheBudgetOfASearch) {
    Options options = limited(0.5);
    options.effort = Effort::measure;
    options.time_budget_seconds = 100;
    expect_contains(refusal("dft 60", options), {"1e+02 s for benchmarks", "time_budget_seconds"});
    options.effort = Effort::exhaustive;
    options.time_budget_seconds = {};
    expect_contains(refusal("dft 60", options), {"no time limit", "time_budget_seconds"});
}

TEST(PlanningLimit, IsANumberOfSeconds) {
    for (const double wrong : {-1.0, std::nan("")})
        expect_contains(error_of<UserError>([&] { swirl::plan("dft 8", limited(wrong)); }),
                        {"planning_limit_seconds is"});
}

TEST(PlanningLimit, IsAnOptionInC) {
    swirl_options options = SWIRL_OPTIONS_INIT;
    EXPECT_EQ(options.planning_limit_seconds, 0);
    options.planning_limit_seconds = 0.01;
    swirl_plan* plan = nullptr;
    EXPECT_EQ(swirl_plan_from_text("dft 2^22", &options, &plan), SWIRL_OUT_OF_TIME);
    expect_contains(swirl_last_error(), {"planning_limit_seconds is 0.01"});
}

} // namespace planning_limit_test
} // namespace swirl
