#include "search/timer/cpu/timer.hpp"

#include "plan/transform/cpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/planner.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace swirl::search {
namespace cpu_timer_test {

/// Filling the tables of this plan takes longer than the whole comparison may.
TEST(CpuTimer, AbandonsPlansAtTheDeadline) {
    const Transform problem = parse_transform("dft 1000003 float32");
    const auto plan = make_plan<planning::Plan>(problem, {.check = false, .use_wisdom = false});
    std::vector<ScheduleCandidate> candidates(2);
    for (ScheduleCandidate& candidate : candidates) candidate.schedule = plan->schedule();
    candidates[0].built = plan;
    CpuTimer timer;
    const double begin = timer.now();
    constexpr double seconds = 0.1; // too few for the tables of a second plan
    timer.compare(Problem(problem), candidates, begin + seconds, Care::screen, {.seen = [](std::size_t) {}});
    EXPECT_TRUE(candidates[0].is_timed());
    EXPECT_FALSE(candidates[1].is_timed());
    EXPECT_EQ(candidates[1].infeasible_because, "");
    EXPECT_EQ(candidates[1].built, nullptr);
}

TEST(CpuTimer, TimesTheFirstPlanHoweverLongItsTablesTake) {
    const Transform problem = parse_transform("dft 100003 float32");
    std::vector<ScheduleCandidate> candidates(1);
    candidates[0].schedule =
        make_plan<planning::Plan>(problem, {.check = false, .use_wisdom = false})->schedule();
    CpuTimer timer;
    timer.compare(Problem(problem), candidates, timer.now(), Care::screen, {.seen = [](std::size_t) {}});
    EXPECT_TRUE(candidates[0].is_timed());
}

} // namespace cpu_timer_test
} // namespace swirl::search
