#include "search/gpu_timekeeper.hpp"

#include "problem/syntax.hpp"
#include "search/gpu_planner.hpp"
#include "support/cuda_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace swirl::search {
namespace {

/// On a driver without a GPU, to whose clock each sample takes the same time.
class TimekeepersOfGpus : public runtime::Cuda {
protected:
    void SetUp() override {
        Cuda::SetUp();
        fake.free_bytes = std::size_t{1} << 26;
    }

    std::vector<GpuContender> contenders(std::initializer_list<const char*> recipes) {
        std::vector<GpuContender> result;
        for (const char* recipe : recipes) result.push_back({planning::parse_recipe(recipe)});
        return result;
    }
};

TEST_F(TimekeepersOfGpus, TimeWhatCanBeBuilt) {
    const runtime::GpuDevice device(0, driver());
    DeviceTimekeeper timekeeper(device, false);
    const Problem problem = parse_problem("dft 64 float32 batch=100");
    auto all = contenders({"sm_90: 0 stockham(8,8) on 64x8", "sm_90: 0 stockham(7,9) on 64x8",
                           "sm_90: 0 stockham(4,16) on 64x8", "sm_90: 0 stockham(8,8) on 2048x8"});
    std::set<std::size_t> seen;
    timekeeper.race(problem, all, timekeeper.now() + 30, [&](std::size_t which) { seen.insert(which); });
    EXPECT_EQ(seen, (std::set<std::size_t>{0, 2}));
    EXPECT_TRUE(all[0].is_timed() && all[0].fits);
    EXPECT_TRUE(!all[1].is_timed() && !all[1].fits);
    EXPECT_TRUE(all[2].is_timed() && all[2].fits);
    EXPECT_TRUE(!all[3].is_timed() && !all[3].fits);
    EXPECT_GT(fake.launches.size(), 20U);
}

TEST_F(TimekeepersOfGpus, TimeTheFirstInAnyCaseAndTheOthersUntilTheEnd) {
    const runtime::GpuDevice device(0, driver());
    DeviceTimekeeper timekeeper(device, false);
    auto all = contenders({"sm_90: 0 stockham(8,8) on 64x8", "sm_90: 0 stockham(4,16) on 64x8"});
    timekeeper.race(parse_problem("dft 64 float32 batch=100"), all, timekeeper.now(), [](std::size_t) {});
    EXPECT_TRUE(all[0].is_timed());
    EXPECT_FALSE(all[1].is_timed());
    EXPECT_TRUE(all[1].fits);
}

TEST_F(TimekeepersOfGpus, ServePlansThatMeasure) {
    const TemporaryFolder folder;
    setenv("SWIRL_WISDOM", (folder.path() / "wisdom.sqlite").c_str(), 1);
    const runtime::GpuDevice device(0, driver());
    const Problem problem = parse_problem("dft 256x64 float32 batch=3");
    const auto plan = make_gpu_plan(
        problem, device,
        {.effort = Effort::measure, .time_budget_seconds = 5, .check = false, .use_cache = false});
    const auto remembered = GpuRecipeMemory(true).recall(problem, gpu_machine_of(device));
    ASSERT_TRUE(remembered);
    EXPECT_EQ(remembered->recipe, plan->recipe());
    EXPECT_GT(remembered->seconds, 0);
    const std::size_t launches = fake.launches.size();
    EXPECT_EQ(make_gpu_plan(problem, device, {.check = false, .use_cache = false})->recipe(), plan->recipe());
    EXPECT_EQ(fake.launches.size(), launches) << "nothing was timed again";
    unsetenv("SWIRL_WISDOM");
}

} // namespace
} // namespace swirl::search
