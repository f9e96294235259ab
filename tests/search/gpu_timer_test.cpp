#include "search/timer/gpu/timer.hpp"
#include "support/transform_schedule.hpp"

#include "problem/syntax.hpp"
#include "search/planner.hpp"
#include "support/cuda_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace swirl::search {
namespace gpu_timer_test {

/// On a driver without a GPU, to whose clock each sample takes the same time.
class GpuTimers : public runtime::Cuda {
protected:
    void SetUp() override {
        Cuda::SetUp();
        fake.free_bytes = std::size_t{1} << 26;
    }

    std::vector<ScheduleCandidate> candidates(std::initializer_list<const char*> schedules) {
        std::vector<ScheduleCandidate> result;
        for (const char* schedule : schedules) result.push_back({.schedule = transform_schedule(schedule)});
        return result;
    }
};

TEST_F(GpuTimers, TimeWhatCanBeBuilt) {
    const runtime::GpuDevice device(0, driver());
    GpuTimer timer(device, false);
    const Transform problem = parse_transform("dft 64 float32 batch=100");
    auto all = candidates({"sm_90: 0 stockham(8,8) on 64x8", "sm_90: 0 stockham(7,9) on 64x8",
                           "sm_90: 0 stockham(4,16) on 64x8", "sm_90: 0 stockham(8,8) on 2048x8"});
    std::set<std::size_t> seen;
    timer.compare(problem, all, timer.now() + 30, Care::screen,
                  {.seen = [&](std::size_t which) { seen.insert(which); }});
    EXPECT_EQ(seen, (std::set<std::size_t>{0, 1, 2, 3}));
    EXPECT_TRUE(all[0].is_timed() && all[0].infeasible_because.empty());
    EXPECT_TRUE(!all[1].is_timed() && !all[1].infeasible_because.empty());
    EXPECT_TRUE(all[2].is_timed() && all[2].infeasible_because.empty());
    EXPECT_TRUE(!all[3].is_timed() && !all[3].infeasible_because.empty());
    EXPECT_GT(fake.launches.size(), 20U);
}

TEST_F(GpuTimers, TimeTheFirstCandidateAndOthersUntilTheDeadline) {
    const runtime::GpuDevice device(0, driver());
    GpuTimer timer(device, false);
    auto all = candidates({"sm_90: 0 stockham(8,8) on 64x8", "sm_90: 0 stockham(4,16) on 64x8"});
    timer.compare(parse_transform("dft 64 float32 batch=100"), all, timer.now(), Care::screen,
                  {.seen = [](std::size_t) {}});
    EXPECT_TRUE(all[0].is_timed());
    EXPECT_FALSE(all[1].is_timed());
    EXPECT_TRUE(all[1].infeasible_because.empty());
}

TEST_F(GpuTimers, AskBeforeEachCompilationAndEachSample) {
    struct Stop {};
    const runtime::GpuDevice device(0, driver());
    const Transform problem = parse_transform("dft 64 float32 batch=100");
    const auto questions_until = [&](int most) {
        GpuTimer timer(device, false);
        auto all = candidates({"sm_90: 0 stockham(8,8) on 64x8", "sm_90: 0 stockham(4,16) on 64x8"});
        int asked = 0;
        const auto interrupt = [&] {
            if (++asked > most) throw Stop();
        };
        const Timer::Observer observer{.seen = [](std::size_t) {}, .interrupt = interrupt};
        if (most > 1000)
            timer.compare(problem, all, timer.now() + 30, Care::screen, observer);
        else
            EXPECT_THROW(timer.compare(problem, all, timer.now() + 30, Care::screen, observer), Stop) << most;
        return asked;
    };
    EXPECT_GT(questions_until(1000000), 20);
    for (const int most : {0, 1, 2, 5, 12}) EXPECT_EQ(questions_until(most), most + 1);
}

TEST_F(GpuTimers, ServePlansThatMeasure) {
    const TemporaryFolder folder;
    setenv("SWIRL_WISDOM", (folder.path() / "wisdom.sqlite").c_str(), 1);
    const runtime::GpuDevice device(0, driver());
    const Transform problem = parse_transform("dft 256x64 float32 batch=3");
    const auto plan = make_plan<planning::GpuPlan>(
        problem, GpuTarget(device),
        {.effort = Effort::measure, .time_budget_seconds = 5, .check = false, .use_kernel_cache = false});
    const auto stored = stored_schedules(problem, GpuTarget(device)).lookup();
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->schedule, planning::Schedule(plan->schedule()));
    EXPECT_GT(stored->seconds, 0);
    const std::size_t launches = fake.launches.size();
    EXPECT_EQ(
        make_plan<planning::GpuPlan>(problem, GpuTarget(device), {.check = false, .use_kernel_cache = false})
            ->schedule(),
        plan->schedule());
    EXPECT_EQ(fake.launches.size(), launches) << "nothing was timed again";
    unsetenv("SWIRL_WISDOM");
}

} // namespace gpu_timer_test
} // namespace swirl::search
