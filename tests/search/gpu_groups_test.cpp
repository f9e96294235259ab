#include "plan/transform/gpu/kernel.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/cost/gpu/estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>

/// Cooperative groups of blocks among the candidates.
namespace swirl::search {
namespace gpu_groups_test {

std::vector<planning::PassSchedule> groups_for(const std::string& text, const target::Gpu& gpu) {
    const Transform all = problem(text);
    const auto pass = planning::dimension_passes(all, planning::Fusion::none).front();
    std::vector<planning::PassSchedule> groups;
    for (GpuPassCandidate& candidate : gpu_candidates(all, pass, gpu, 1000))
        if (candidate.pass.configurations.front().group_blocks > 0)
            groups.push_back(std::move(candidate.pass));
    return groups;
}

const target::Gpu& hopper() { return target::gpu_named("sm_90"); }

TEST(GroupsOnGpus, AreCandidatesIfTheirBlocksAreResident) {
    for (const char* text :
         {"dft 65536 float16 batch=2048", "dft 32768 float64 batch=1024", "dft 100000 float32 batch=671",
          "dft 262144 float32 inplace batch=256", "dft 1048576 float32 planar batch=64"}) {
        const auto groups = groups_for(text, hopper());
        ASSERT_FALSE(groups.empty()) << text;
        const planning::Schedule schedule{"sm_90", planning::TransformSchedule{{groups.front()}}};
        const auto described = planning::describe_passes(problem(text), schedule);
        ASSERT_EQ(described.size(), 1U) << text;
        ASSERT_EQ(described[0].kernels.size(), 1U) << text;
        const ir::Launch& launch = described[0].kernels[0].launch;
        EXPECT_GT(launch.cooperative_group, 1) << text;
        EXPECT_LE(launch.blocks[0], launch.resident * hopper().multiprocessors) << text;
        const auto seconds = gpu_pass_seconds(problem(text), schedule, hopper());
        ASSERT_TRUE(seconds.at(0)) << text;
        EXPECT_GT(*seconds[0], 0);
    }
}

TEST(GroupsOnGpus, NeedManyTransformsAndAKnownMultiprocessorCount) {
    EXPECT_TRUE(groups_for("dft 262144 float32 batch=3", hopper()).empty());
    EXPECT_TRUE(groups_for("dft 262144 float32 strides=256 batch=256:1", hopper()).empty());
    EXPECT_TRUE(groups_for("rdft 262144 float32 batch=256", hopper()).empty());
    target::Gpu gpu = hopper();
    gpu.multiprocessors = 0;
    EXPECT_TRUE(groups_for("dft 262144 float32 batch=256", gpu).empty());
    gpu = hopper();
    gpu.has_cooperative_groups = false;
    EXPECT_TRUE(groups_for("dft 262144 float32 batch=256", gpu).empty());
}

} // namespace gpu_groups_test
} // namespace swirl::search
