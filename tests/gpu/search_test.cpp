#include "search/planner.hpp"

#include "problem/syntax.hpp"
#include "runtime/timer.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/timer/gpu/timer.hpp"
#include "support/first_gpu.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace swirl::search {
namespace search_test {

class SearchOnThisGpu : public support::FirstGpu {
protected:
    void SetUp() override {
        setenv("SWIRL_WISDOM", (folder.path() / "wisdom.sqlite").c_str(), 1);
        FirstGpu::SetUp();
    }
    void TearDown() override { unsetenv("SWIRL_WISDOM"); }

    TemporaryFolder folder;
};

TEST_F(SearchOnThisGpu, FindsCorrectSchedulesNoSlowerThanTheEstimate) {
    for (const char* text : {"dft 1024 float32", "dft 1000 float32 batch=5000", "rdft 4096 float32 batch=300",
                             "dft 256x256 float32 batch=4", "dft 96 inplace batch=20000"}) {
        SCOPED_TRACE(text);
        const Transform problem = parse_transform(text);
        const double start = runtime::monotonic_seconds();
        const auto plan = make_plan<planning::GpuPlan>(
            problem, GpuTarget(*device),
            {.effort = Effort::measure, .time_budget_seconds = 3, .use_kernel_cache = false});
        EXPECT_LT(runtime::monotonic_seconds() - start, 8);
        const auto stored = stored_schedules(problem, GpuTarget(*device)).lookup();
        ASSERT_TRUE(stored);
        EXPECT_EQ(stored->schedule, planning::Schedule(plan->schedule()));
        GpuTimer timer(*device, false);
        ScheduleCandidate both[] = {{gpu_schedule(problem, device->target())}, {plan->schedule()}};
        timer.compare(problem, both, timer.now() + 3, Care::screen, {.seen = [](std::size_t) {}});
        RecordProperty(std::string("estimate ") + text, std::to_string(both[0].seconds));
        RecordProperty(std::string("measured ") + text, std::to_string(both[1].seconds));
        EXPECT_LT(both[1].seconds, 1.2 * both[0].seconds) << to_string(plan->schedule());
    }
}

TEST_F(SearchOnThisGpu, PlansThatWereKeptComputeTheTransformToo) {
    for (const char* text : {"dft 1024 float32 batch=9", "dft 65536 float32 batch=2", "dft 60x64 inplace",
                             "rdft 1000 backward batch=5", "dft 1021 float32 batch=3"}) {
        SCOPED_TRACE(text);
        const Transform problem = parse_transform(text);
        const auto first = make_plan<planning::GpuPlan>(
            problem, GpuTarget(*device)); // each is checked against the definition
        const auto kept = make_plan<planning::GpuPlan>(problem, GpuTarget(*device));
        EXPECT_EQ(kept->schedule(), first->schedule());
        EXPECT_EQ(kept->workspace_bytes(), first->workspace_bytes());
        EXPECT_EQ(kept->flops(), first->flops());
    }
}

} // namespace search_test
} // namespace swirl::search
