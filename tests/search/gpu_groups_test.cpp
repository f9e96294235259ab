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

TEST(GroupsOnGpus, AreCandidatesForLargeBatchesWhereAllTheirBlocksAreResident) {
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

TEST(GroupsOnGpus, AreNoCandidatesForFewTransformsNorWithoutTheNumberOfMultiprocessors) {
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

GpuKernelFeatures some_kernel() {
    GpuKernelFeatures kernel;
    kernel.blocks = 1000;
    kernel.resident_blocks = 4;
    kernel.bytes = kernel.sector_bytes = 65536;
    kernel.steps = 3;
    kernel.sides = 2;
    kernel.instructions = 800;
    kernel.issued = 6400;
    kernel.shared_cycles = 1000;
    kernel.shared_bytes = 40000;
    return kernel;
}

TEST(CostOfGpuKernels, GrowsWithEachOfItsFeatures) {
    const double seconds = gpu_kernel_seconds(some_kernel(), hopper());
    double GpuKernelFeatures::*const features[] = {
        &GpuKernelFeatures::blocks,        &GpuKernelFeatures::sector_bytes, &GpuKernelFeatures::steps,
        &GpuKernelFeatures::sides,         &GpuKernelFeatures::instructions, &GpuKernelFeatures::issued,
        &GpuKernelFeatures::shared_cycles, &GpuKernelFeatures::words,
    };
    for (std::size_t k = 0; k < std::size(features); ++k) {
        GpuKernelFeatures kernel = some_kernel();
        kernel.*features[k] *= 2;
        EXPECT_GT(gpu_kernel_seconds(kernel, hopper()), seconds) << k;
    }
    GpuKernelFeatures kernel = some_kernel();
    kernel.exchanged = 0.5;
    EXPECT_LT(gpu_kernel_seconds(kernel, hopper()), seconds);
    kernel = some_kernel();
    kernel.resident_blocks = 1;
    EXPECT_GT(gpu_kernel_seconds(kernel, hopper()), seconds);
}

/// No kernel is faster than its bytes.
TEST(CostOfGpuKernels, IsNotBelowTheTrafficOfALargeCopy) {
    GpuKernelFeatures kernel;
    kernel.blocks = 100000;
    kernel.resident_blocks = 32;
    kernel.bytes = kernel.sector_bytes = 65536;
    const double bytes = kernel.blocks * kernel.bytes;
    EXPECT_GT(gpu_kernel_seconds(kernel, hopper()), bytes / 3.5e12);
    EXPECT_LT(gpu_kernel_seconds(kernel, hopper()), bytes / 2.5e12);
}

} // namespace gpu_groups_test
} // namespace swirl::search
