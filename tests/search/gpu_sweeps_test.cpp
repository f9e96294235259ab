#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/proved_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

/// Which sweeps over memory are candidates on a GPU, and which launch configurations.
namespace swirl::search {
namespace gpu_sweeps_test {

const target::Gpu& hopper() { return target::gpu_named("sm_90"); }

planning::Schedule chosen(const std::string& text) { return gpu_schedule(swirl::problem(text), hopper()); }

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The trees of the candidates for the problem's only pass.
std::vector<rules::BreakdownTree> candidate_trees(const std::string& text) {
    std::vector<rules::BreakdownTree> trees;
    for (const RatedGpuSchedule& rated : gpu_schedules(swirl::problem(text), hopper(), 1000))
        trees.push_back(rated.schedule.transform().passes.front().tree);
    return trees;
}

TEST(SweepsOnGpus, SpreadAFewPaddedConvolutionsOverTheMultiprocessors) {
    for (const char* text : {"dft 14387 float32", "dft 10007 backward batch=2", "rdft 10007 float32",
                             "rdft 7559 backward float32"}) {
        EXPECT_TRUE(contains(to_string(chosen(text)), "bluestein(")) << to_string(chosen(text));
        EXPECT_TRUE(contains(to_string(chosen(text)), "[two-sweep(")) << to_string(chosen(text));
        support::prove(text, chosen(text));
    }
    EXPECT_FALSE(contains(to_string(chosen("dft 3109 float32 batch=2000")), "two-sweep("));
}

TEST(SweepsOnGpus, MayBeThreeWhereTwoAccessNarrowRangesOfMemory) {
    const auto is_of_three = [](const rules::BreakdownTree& tree) {
        const rules::BreakdownTree& sweeps = tree.rule == "stockham" ? tree : tree.children.front();
        return sweeps.rule == "stockham" && sweeps.choice.size() == 3 && !sweeps.children.empty();
    };
    for (const char* text : {"dft 14520000", "rdft 16777216 float32", "rdft 5764801 float32"}) {
        const auto trees = candidate_trees(text);
        EXPECT_TRUE(std::any_of(trees.begin(), trees.end(), is_of_three)) << text;
    }
    const auto trees = candidate_trees("dft 65536");
    EXPECT_FALSE(std::any_of(trees.begin(), trees.end(), is_of_three));
}

TEST(LaunchConfigurationsOnGpus, StageASideOnlyWhereThatHasAnEffect) {
    for (const RatedGpuSchedule& rated :
         gpu_schedules(swirl::problem("dft 196 float32 strides=320 batch=320:1"), hopper(), 1000))
        EXPECT_FALSE(contains(to_string(rated.schedule), "staged")) << to_string(rated.schedule);
    const auto all = gpu_schedules(swirl::problem("dft 41 float32 batch=20000"), hopper(), 1000);
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const RatedGpuSchedule& rated) {
        return contains(to_string(rated.schedule), "staged");
    }));
}

} // namespace gpu_sweeps_test
} // namespace swirl::search
