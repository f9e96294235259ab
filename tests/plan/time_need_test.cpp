// How long planning takes, as predicted from the work; that it is refused before it begins. `bench_planning --predict`
// compares predictions with times.

#include "plan/time_need.hpp"

#include "base/error.hpp"
#include "formula/formula.hpp"
#include "plan/check/scope.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "problem/syntax.hpp"
#include "support/cuda_fixture.hpp"
#include "support/error_of.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace swirl::planning {
namespace time_need_test {

using namespace formula;
using runtime::expect_contains;

TEST(PlanningWork, CountsCodeletsAndEntriesOfTables) {
    const PlanningWork of_two = work_of(kron(DFT(16), I(64)) * T(1024, 64) * kron(I(16), DFT(64)));
    EXPECT_EQ(of_two.codelets, 2);
    EXPECT_EQ(of_two.entries, 1024);
    EXPECT_GT(of_two.operations, work_of(DFT(64)).operations);
    EXPECT_EQ(work_of(kron(I(1000), DFT(8))).operations, work_of(DFT(8)).operations) << "a loop";
    EXPECT_EQ(work_of(codelet(kron(I(10), DFT(8)))).operations, 10 * work_of(DFT(8)).operations)
        << "straight-line code";
    EXPECT_EQ(work_of(diagonal(std::vector<Complex>(5000, 2))).entries, 5000);
    EXPECT_LE(work_of(T(Integer{1} << 40, Integer{1} << 20)).entries, 1 << 20) << "products of small tables";
}

TEST(PlanningWork, CountsWhatTheCheckComputes) {
    const auto checked = [](const char* text) {
        const Transform problem = swirl::problem(text);
        return work_of(CheckScope::of(problem, {.bytes = Integer{1} << 40}), problem);
    };
    EXPECT_EQ(checked("dft 1000").checked, 2000);
    EXPECT_EQ(checked("dct2 1000 batch=3").checked, 3000);
    const double of_sample = checked("dft 1024 float32 batch=20000").checked;
    EXPECT_GT(of_sample, 2 * 1024 * 512) << "the whole batch is executed";
    EXPECT_LT(of_sample, 2 * 1024 * 20000) << "and a sample of it compared";
    EXPECT_EQ(checked("dft 1000").applied, 0);
    EXPECT_GT(checked("formula DFT(2) ⊗ I(1000)").applied, 0);
    EXPECT_EQ(work_of(CheckScope::not_wanted(), swirl::problem("dft 1000")).checked, 0);
}

TEST(TimeNeed, RefusesWithThePredictionTheLimitAndWhatWouldWork) {
    const Transform problem = swirl::problem("dft 10007");
    const auto refusal = [&](double limit, const TimeNeed& need) {
        return error_of<OutOfTime>([&] { require_in_time(limit, need, problem); });
    };
    const TimeNeed need{.code = 0.25, .tables = 0.5, .check = 2};
    EXPECT_EQ(refusal(0, need), "") << "no limit";
    EXPECT_EQ(refusal(2.75, need), "");
    expect_contains(refusal(1, need),
                    {"about 2.8 seconds", "0.25 s to derive", "0.5 s to fill tables", "2 s for the check",
                     "planning_limit_seconds is 1", "dft 10007", "allow 2.8 seconds", "check = false"});
    EXPECT_EQ(refusal(0.1, need).find("check = false"), std::string::npos) << "not enough";
    expect_contains(refusal(0.1, need), {"small prime factors"});
    EXPECT_EQ(error_of<OutOfTime>([&] {
                  require_in_time(0.1, need, swirl::problem("dft 4096"));
              }).find("small prime factors"),
              std::string::npos)
        << "it has no others";
    expect_contains(refusal(1, {.search = std::numeric_limits<double>::infinity()}),
                    {"no time limit", "time_budget_seconds"});
}

TEST(TimeNeed, OfAPlanGrowsWithItsLengthAndIsAskedBeforeItsKernelsAreMade) {
    const auto predicted = [](const char* text, const char* schedule, bool check) {
        return total(
            time_of(planning_work(swirl::problem(text), transform_schedule(schedule), {.check = check})));
    };
    constexpr const char* large_schedule = "portable: 0 two-sweep(1024,32,32)[stockham(32,32)]";
    const double small = predicted("dft 64", "portable: 0 stockham(8,8)", true);
    const double large = predicted("dft 1048576", large_schedule, true);
    EXPECT_LT(small, 0.01);
    EXPECT_GT(large, 10 * small);
    EXPECT_LT(predicted("dft 1048576", large_schedule, false), large / 3) << "mostly its check";
    const auto build = [&](double limit) {
        return error_of<OutOfTime>([&] {
            Plan::build(swirl::problem("dft 1048576"), transform_schedule(large_schedule),
                        {.planning_limit = limit});
        });
    };
    expect_contains(build(small), {"dft 1048576"});
}

} // namespace time_need_test
} // namespace swirl::planning
