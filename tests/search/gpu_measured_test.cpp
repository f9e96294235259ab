#include "search/candidates/gpu/measured.hpp"

#include "plan/check/transform.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "support/interpreted_plan.hpp"

#include <gtest/gtest.h>

namespace swirl::search {
namespace gpu_measured_test {

std::optional<GpuPassCandidate> measured(const std::string& text, const char* gpu = "sm_90") {
    const Transform all = problem(text);
    return measured_gpu_pass(all, planning::dimension_passes(all, planning::Fusion::none).front(),
                             target::gpu_named(gpu));
}

TEST(MeasuredStepsOnGpus, ServeForManyTransformsOfTheirForm) {
    for (const char* text :
         {"dft 1000 float32 batch=67108", "dft 64 float64 batch=524288", "dft 1024 float16 batch=131072",
          "dft 256 float32 strides=65536 batch=65536:1", "dft 65536 float32 batch=1024"}) {
        const auto pass = measured(text);
        ASSERT_TRUE(pass) << text;
        EXPECT_NO_THROW(
            planning::describe_passes(problem(text), {"sm_90", planning::TransformSchedule{{pass->pass}}}))
            << text;
        EXPECT_GT(pass->seconds, 300e-6 * 0.3);
    }
}

TEST(MeasuredStepsOnGpus, ServeForRealsByDirection) {
    for (const Integer n : {32, 64, 128, 256, 512, 1024, 2048, 4096})
        for (const char* direction : {"", " backward"})
            for (const char* layout : {"", " inplace", " planar"}) {
                const auto of = [&](Integer batch) {
                    return fmt::format("rdft {} float32{}{} batch={}", n, direction, layout, batch);
                };
                const auto pass = measured(of((Integer{1} << 27) / n));
                ASSERT_TRUE(pass) << of(1);
                const Transform few = problem(of(n <= 512 ? 37 : 3));
                const planning::Schedule schedule{"sm_90", planning::TransformSchedule{{pass->pass}}};
                SCOPED_TRACE(to_string(schedule));
                support::InterpretedPlan plan(few, schedule);
                EXPECT_NO_THROW(planning::check_against_definition(
                    few, schedule, [&](planning::ProblemData& data) { plan.execute(data.arguments()); }));
            }
    EXPECT_NE(measured("rdft 64 float32 batch=2097152")->pass.tree,
              measured("rdft 64 float32 backward batch=2097152")->pass.tree);
    EXPECT_FALSE(measured("rdft 64 float32 in=2 batch=2097152:(128,33)"));
}

TEST(MeasuredStepsOnGpus, ServeForConvolutions) {
    for (const Integer n : {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536}) {
        const auto of = [&](Integer batch) {
            return fmt::format("convolution {} float32 batch={}", n, batch);
        };
        const auto pass = measured(of((Integer{1} << 26) / n));
        ASSERT_TRUE(pass) << n;
        if (pass->pass.configurations.front().group_blocks > 0) continue;
        const Transform few = problem(of(n <= 256 ? 19 : 2));
        const planning::Schedule schedule{"sm_90", planning::TransformSchedule{{pass->pass}}};
        SCOPED_TRACE(to_string(schedule));
        support::InterpretedPlan plan(few, schedule);
        EXPECT_NO_THROW(planning::check_against_definition(
            few, schedule, [&](planning::ProblemData& data) { plan.execute(data.arguments()); }));
    }
    EXPECT_FALSE(measured("convolution 1024 float32 batch=10"));
    EXPECT_FALSE(measured("convolution 1024 float32 in=3 batch=65536:3072"));
}

TEST(MeasuredStepsOnGpus, DoNotServeForFewNorForOtherLayoutsAndGpus) {
    EXPECT_FALSE(measured("dft 1000 float32 batch=10"));
    EXPECT_FALSE(measured("dft 1000 float32 in=3 batch=67108:3000"));
    EXPECT_FALSE(measured("dft 1000 float32 batch=67108", "sm_80"));
    EXPECT_FALSE(measured("rdft 1000 float32 batch=67108"));
}

std::string configuration_of(const std::optional<GpuPassCandidate>& candidate) {
    return candidate ? planning::to_string(candidate->pass.configurations.front()) : "";
}

/// Of groups of blocks that wait for each other, all have to run at once.
TEST(MeasuredStepsOnGpus, OfGroupsServeWhereAllBlocksRunAtOnceAndEachGroupHasSeveralTurns) {
    const Transform all = problem("dft 65536 float16 batch=2048");
    const planning::DimensionPass pass = planning::dimension_passes(all, planning::Fusion::none).front();
    target::Gpu gpu = target::gpu_named("sm_90");
    EXPECT_NE(
        configuration_of(measured_gpu_pass(all, pass, gpu)).find("cooperative_groups 32 group_blocks 16"),
        std::string::npos);
    gpu.multiprocessors = 114; // 4 blocks on each are less than 512
    EXPECT_NE(configuration_of(measured_gpu_pass(all, pass, gpu)).find("cluster 8"), std::string::npos);
    gpu.multiprocessors = 0; // unknown
    EXPECT_NE(configuration_of(measured_gpu_pass(all, pass, gpu)).find("cluster 8"), std::string::npos);
    EXPECT_EQ(configuration_of(measured("dft 262144 float32 batch=40")).find("group"), std::string::npos);
    EXPECT_NE(configuration_of(measured("dft 1000000 float32 batch=67")).find("pipelined"),
              std::string::npos);
}

TEST(MeasuredStepsOnGpus, OfGroupsBecomeOneKernelForTheMultiprocessorsOfTheCard) {
    for (const char* text :
         {"dft 65536 float16 batch=2048", "dft 32768 float64 batch=1024", "dft 65536 float64 batch=512",
          "dft 100000 float32 batch=671", "dft 262144 float32 batch=256", "dft 1000000 float32 batch=67",
          "dft 1048576 float32 batch=64", "dft 262144 float32 inplace batch=256",
          "dft 262144 float32 planar batch=256"}) {
        const auto pass = measured(text);
        ASSERT_TRUE(pass) << text;
        const auto described =
            planning::describe_passes(problem(text), {"sm_90", planning::TransformSchedule{{pass->pass}}});
        ASSERT_EQ(described.size(), 1U) << text;
        ASSERT_EQ(described[0].kernels.size(), 1U) << text;
        const ir::Launch& launch = described[0].kernels[0].launch;
        EXPECT_GT(launch.cooperative_group, 1) << text;
        EXPECT_LE(launch.blocks[0], launch.resident * target::gpu_named("sm_90").multiprocessors) << text;
    }
}

} // namespace gpu_measured_test
} // namespace swirl::search
