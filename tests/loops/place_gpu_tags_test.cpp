#include "loops/gpu/place_gpu_tags.hpp"

#include "loops/gpu/passes.hpp"
#include "rules/rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace swirl::loops {
namespace place_gpu_tags_test {

using namespace formula;

/// The only region of a batch of DFTs, arranged and tagged for a launch configuration, and its arrays.
struct Tagged {
    LoopProgram arrays;
    KernelRegion region;
};

Tagged tagged(Integer batch, Integer n, const char* tree, const LaunchConfiguration& configuration) {
    const Formula formula = kron(I(batch), rules::expand(DFT(n), rules::parse_tree(tree)));
    std::vector<KernelLoops> kernels = loops_for_gpu({.formula = formula,
                                                      .input = Layout::contiguous(formula.columns()),
                                                      .output = Layout::contiguous(formula.rows())},
                                                     {configuration});
    EXPECT_EQ(kernels.size(), 1U);
    KernelRegions& regions = kernels.front().regions;
    EXPECT_EQ(regions.regions.size(), 1U);
    return {std::move(regions.loops), std::move(regions.regions.front())};
}

TEST(GpuTags, OuterLoopsBecomeBlocksInnerLoopsThreads) {
    const auto [arrays, region] = tagged(40, 256, "stockham(16,16)", {.threads = 32, .transforms = 2});
    ASSERT_EQ(region.around.size(), 1U);
    EXPECT_EQ(region.around[0].tag, LoopTag::gpu_block);
    EXPECT_EQ(region.around[0].per_block, 2);
    ASSERT_EQ(region.shares.size(), region.calls.size());
    for (std::size_t k = 0; k < region.calls.size(); ++k) {
        for (const Loop& loop : region.calls[k].loops) EXPECT_EQ(loop.tag, LoopTag::gpu_thread);
        EXPECT_EQ(region.shares[k].iterations.active(), 32) << "16 columns of two transforms";
        EXPECT_EQ(region.shares[k].iterations.iterations_per_thread(), 1);
        EXPECT_FALSE(region.shares[k].exchanges);
    }
    const std::string text = to_text(arrays, region);
    EXPECT_NE(text.find("< 40 gpu block(2):\n  for "), std::string::npos) << text;
    EXPECT_NE(text.find("< 16 gpu thread:\n"), std::string::npos) << text;
    EXPECT_NE(text.find("shared memory"), std::string::npos) << text;
}

TEST(GpuTags, LetThreadsWaitBeforeTheyOverwriteWhatOthersRead) {
    const auto waiting = [](bool single_buffer) {
        const Tagged made =
            tagged(40, 4096, "stockham(16,16,16)", {.threads = 256, .single_buffer = single_buffer});
        return std::count_if(made.region.shares.begin(), made.region.shares.end(),
                             [](const ThreadShare& share) { return share.waits; });
    };
    EXPECT_EQ(waiting(false), 0) << "two vectors alternate";
    EXPECT_EQ(waiting(true), 1) << "the middle call permutes one vector";
}

} // namespace place_gpu_tags_test
} // namespace swirl::loops
