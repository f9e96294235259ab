#include "search/cost/gpu/estimate.hpp"
#include "support/transform_schedule.hpp"

#include "base/error.hpp"
#include "plan/check/transform.hpp"
#include "problem/syntax.hpp"
#include "rules/number_theory.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/candidates/gpu/trees.hpp"
#include "support/error_of.hpp"
#include "support/proved_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace swirl::search {
namespace gpu_estimate_test {

/// Throws where the plan, interpreted, is not the transform.
void prove(const std::string& text, const target::Gpu& gpu = target::gpu_named("sm_90")) {
    const planning::Schedule schedule = gpu_schedule(swirl::problem(text), gpu);
    EXPECT_EQ(transform_schedule(to_string(schedule)), schedule) << text;
    support::prove(text, schedule);
}

TEST(RadicesForGpus, AreFewAndAboutEqual) {
    const auto radices = [](std::initializer_list<Integer> list) { return std::vector<Integer>(list); };
    EXPECT_EQ(balanced_radices(64), radices({8, 8}));
    EXPECT_EQ(balanced_radices(512), radices({8, 8, 8}));
    EXPECT_EQ(balanced_radices(4096), radices({16, 16, 16}));
    EXPECT_EQ(balanced_radices(1024), radices({16, 8, 8}));
    EXPECT_EQ(balanced_radices(60), radices({10, 6}));
    EXPECT_EQ(balanced_radices(31 * 32), radices({31, 8, 4}));
    EXPECT_EQ(balanced_radices(37), radices({}));
}

TEST(SchedulesForGpus, ComputeEverySizeUpTo64) {
    for (Integer n = 1; n <= 64; ++n) {
        prove(fmt::format("dft {} float32 batch=3", n));
        prove(fmt::format("dft {} backward inplace", n));
    }
}

TEST(SchedulesForGpus, ComputeLayoutsStridesBatchesAndSeveralDimensions) {
    for (const char* text : {"dft 8 batch=300",
                             "dft 12 planar batch=7",
                             "dft 60 planar inplace batch=5 backward",
                             "dft 64 float32 in=3 out=2",
                             "dft 64 batch=10:(1,64) in=10 out=1",
                             "dft 100 strides=-1 batch=4:-100",
                             "dft 64 batch=3:400x4:80 inplace",
                             "dft 256 float32 batch=33 scale=0.5",
                             "dft 16x8",
                             "dft 8x16 inplace",
                             "dft 32x32 batch=3 float32",
                             "dft 4x5x6",
                             "dft 64x64 float32 batch=3",
                             "dft 32x128 float32 inplace batch=2 backward",
                             "dft 3x64x64 planar",
                             "dft 64x20 planar",
                             "dft 1x7",
                             "dft 1 batch=5 scale=3",
                             "dft 1024",
                             "dft 1000 batch=2 float32",
                             "dft 31 batch=40",
                             "dft 62",
                             "dft 8 batch=3:100x5"})
        prove(text);
}

TEST(SchedulesForGpus, ComputeTransformsOfReals) {
    for (Integer n = 2; n <= 64; ++n) {
        prove(fmt::format("rdft {} float32 batch=3", n));
        prove(fmt::format("rdft {} backward inplace batch=2", n));
    }
    for (const char* kind : {"dct1", "dct2", "dct3", "dct4", "dct5",       "dct6",        "dct7", "dct8",
                             "dst1", "dst2", "dst3", "dst4", "dst5",       "dst6",        "dst7", "dst8",
                             "dht",  "r2hc", "hc2r", "wht",  "wht_dyadic", "wht_sequency"})
        for (const Integer n : {2, 4, 8, 16}) prove(fmt::format("{} {} batch=5", kind, n));
    for (const char* kind : {"dct1", "dct2", "dct3", "dct4", "dct5", "dct6", "dct7", "dct8", "dst1", "dst2",
                             "dst3", "dst4", "dst5", "dst6", "dst7", "dst8", "dht", "r2hc", "hc2r"})
        for (const Integer n : {35, 37, 47, 64, 74, 1000}) prove(fmt::format("{} {} batch=3", kind, n));
    for (const Integer n : {74, 94, 111, 127, 222, 1021}) {
        prove(fmt::format("rdft {} float32 batch=3", n));
        prove(fmt::format("rdft {} backward inplace batch=2", n));
    }
    for (const char* text : {"wht 64 inplace float32",
                             "wht 512",
                             "wht 2^14",
                             "wht_dyadic 512",
                             "wht_sequency 2048 float32 batch=3",
                             "wht_sequency 64 inplace",
                             "wht_sequency 16x64",
                             "wht 16x64",
                             "dct2 60",
                             "dct2 64 batch=3",
                             "dst2 36",
                             "dct4 128",
                             "dst4 64 float32",
                             "rdft 16x20",
                             "rdft 12x30 backward",
                             "rdft 4x5x6 inplace",
                             "rdft 1000 planar",
                             "rdft 64 planar backward batch=3",
                             "dct2 3x5",
                             "rdft 6720 float32",
                             "rdft 6 inplace",
                             "rdft 8 inplace",
                             "dct2,dst3 8x9",
                             "r2hc,dct1,dht 4x33x6 inplace batch=2"})
        prove(text);
}

TEST(SchedulesForGpus, KeepTheFactorsOfDimensionsOfOnePoint) {
    for (const char* kind : {"dct2", "dct3", "dct4", "dct8", "dst2", "dst3", "dst4", "dst6"})
        for (const char* rest :
             {"1x6", "4x1 float32 inplace batch=7", "1x1", "8x1x29 float32", "1x5 float16"})
            prove(fmt::format("{} {}", kind, rest));
}

TEST(SchedulesForGpus, SplitSquaresOfLargePrimes) {
    for (const char* text : {"dft 1369 float32", "rdft 1369 batch=2"}) prove(text);
}

TEST(SchedulesForGpus, CopyWithinIterations) {
    for (const char* text :
         {"dst4 20x3 float32 batch=5", "dst4 20x3 inplace batch=2", "dst4 18x5 batch=3:90 scale=0.5",
          "rdft 17 inplace batch=70", "rdft 3x17 float32 backward inplace batch=5 scale=0.5"})
        prove(text);
    for (const char* name : {"sm_80", "sm_90"})
        for (const char* text : {"dst4 17x20x32 float32 batch=33", "dst4 30x35x3x5 batch=40001",
                                 "dst4 17x18x32x8", "rdft 32x20x14x17 float32 inplace batch=7",
                                 "rdft 2x5x32x17 backward inplace batch=33 scale=0.5"})
            EXPECT_NO_THROW(gpu_schedule(swirl::problem(text), target::gpu_named(name)))
                << text << " " << name;
}

TEST(SchedulesForGpus, SweepTwiceOverTransformsBeyondSharedMemory) {
    const target::Gpu& small = target::gpu_named("generic");
    for (const char* text : {"dft 8192 float32", "dft 4096 batch=2", "dft 5000 inplace backward",
                             "dft 4096 planar", "dft 4860 float32 in=2 batch=2:12000", "dft 3x4096"})
        prove(text, small);
    prove("dft 16384", target::gpu_named("sm_90"));
    const planning::Schedule schedule =
        gpu_schedule(swirl::problem("dft 2^20 float32"), target::gpu_named("sm_90"));
    EXPECT_EQ(schedule.transform().passes[0].tree.rule, "two-sweep");
    EXPECT_EQ(schedule.transform().passes[0].configurations.size(), 2U);
}

// One block for each of a few transforms would leave most multiprocessors idle.
TEST(SchedulesForGpus, ShareFewLongTransformsAmongManyBlocks) {
    const target::Gpu& gpu = target::gpu_named("sm_90");
    for (const char* text : {"dft 16464 float32", "dft 8900 float32 inplace", "rdft 24192 float32 batch=2",
                             "rdft 12348 backward float32", "dft 6144 batch=2 backward"}) {
        const Transform problem = swirl::problem(text);
        Integer blocks = 0;
        for (const auto& pass : planning::describe_passes(problem, gpu_schedule(problem, gpu)))
            for (const ir::KernelInfo& kernel : pass.kernels)
                blocks = std::max(blocks, kernel.launch.blocks[0]);
        EXPECT_GE(blocks, 20) << text;
        prove(text);
    }
    EXPECT_EQ(
        gpu_schedule(swirl::problem("dft 6000 float32 batch=5000"), gpu).transform().passes[0].tree.rule,
        "stockham");
}

// Blocks whose threads keep what they read in registers have a fixed number of transforms; another kernel does the rest.
TEST(SchedulesForGpus, RateTheKernelForTransformsThatDoNotFillABlock) {
    const target::Gpu& gpu = target::gpu_named("sm_90");
    const Transform problem = swirl::problem("dft 512 float32 batch=10");
    for (const char* text : {"sm_90: 0 stockham(8,8,8) on 256x4 pad 32 single_buffer",
                             "sm_90: 0 stockham(8,8,8) on 320x5 pad 32 single_buffer",
                             "sm_90: 0 stockham(8,8,8) on 256x4 pad 32"}) {
        const planning::Schedule schedule = transform_schedule(text);
        const auto costs = gpu_kernel_costs(problem, schedule, gpu);
        ASSERT_TRUE(costs.at(0)) << text;
        EXPECT_EQ(costs[0]->size(), planning::describe_passes(problem, schedule).at(0).kernels.size())
            << text;
    }
}

TEST(SchedulesForGpus, LargePrimesTakeOneConvolutionKernel) {
    for (const char* text : {"dft 127 float32 batch=7", "dft 257 inplace backward batch=2",
                             "dft 83 planar batch=3", "dft 1021 float32", "dft 508 float32 batch=2",
                             "dft 214 batch=3", "dft 254x3 float32", "dft 5x37"}) {
        prove(text);
        const Transform problem = swirl::problem(text);
        const target::Gpu& gpu = target::gpu_named("sm_90");
        for (const auto& pass : planning::describe_passes(problem, gpu_schedule(problem, gpu)))
            EXPECT_LE(pass.kernels.size(), 2U) << text; // the second of what does not fill a block
    }
    EXPECT_EQ(gpu_schedule(swirl::problem("dft 10007 float32"), target::gpu_named("sm_90"))
                  .transform()
                  .passes[0]
                  .tree.rule,
              "bluestein");
}

TEST(SchedulesForGpus, LargePrimesBeyondABlockTakeTwoSweeps) {
    target::Gpu small = target::gpu_named("sm_90");
    small.max_shared_bytes_per_block = 8192;
    small.largest_cluster = 1;
    for (const char* text :
         {"dft 1153 float32 batch=3", "dft 1174 float32 inplace batch=2", "dft 587 backward"})
        prove(text, small);
    for (const char* text :
         {"dft 10007 float32 batch=2", "dft 10007 backward", "convolution 10007", "rdft 20011 inplace"})
        prove(text, small); // in three sweeps, some
    const auto rule_of = [](const char* text) {
        return gpu_schedule(swirl::problem(text), target::gpu_named("sm_90")).transform().passes[0].tree.rule;
    };
    EXPECT_EQ(rule_of("dft 65537 float32"), "bluestein");
    EXPECT_EQ(rule_of("dft 100003 float32 batch=2"), "bluestein");
}

TEST(SchedulesForGpus, SweepThreeTimesBeyondTheSquareOfABlock) {
    target::Gpu small = target::gpu_named("sm_90");
    small.max_shared_bytes_per_block = 8192;
    small.largest_cluster = 1;
    for (const char* text : {"dft 32768 backward batch=2", "dft 32768 planar inplace", "rdft 65536 backward",
                             "dft 3x32768", "convolution 32768", "dft 32768 batch=3:(1,32768) in=3 out=1"})
        prove(text, small);
    EXPECT_EQ(gpu_schedule(swirl::problem("dft 32768"), small).transform().passes[0].tree,
              rules::parse_tree("stockham(32,32,32)[stockham(8,4)]"));
    EXPECT_EQ(gpu_schedule(swirl::problem("dft 2^30"), target::gpu_named("sm_90"))
                  .transform()
                  .passes[0]
                  .tree.choice,
              (std::vector<Integer>{1024, 1024, 1024}));
}

TEST(SchedulesForGpus, AreWithinTheLimitsOfEachGpu) {
    for (const target::Gpu* gpu : target::gpus())
        for (const char* text : {"dft 2048 float32 batch=5", "dft 1024 batch=2", "dft 16 batch=65536"}) {
            const Transform problem = swirl::problem(text);
            for (const auto& pass : planning::describe_passes(problem, gpu_schedule(problem, *gpu)))
                for (const ir::KernelInfo& kernel : pass.kernels) {
                    EXPECT_LE(kernel.shared_bytes, gpu->max_shared_bytes_per_block) << gpu->name << text;
                    EXPECT_LE(kernel.launch.threads[0] * kernel.launch.threads[1], gpu->threads_per_block);
                }
        }
}

TEST(SchedulesForGpus, HaveKernelsForEveryLengthThatFitsInMemory) {
    for (const char* text :
         {"dft 33554467", "dft 100000007", "rdft 200000014 float32", "convolution 67108879 float32",
          "dct2 100000007 float32", "dft 2^31 float32", "rdft 3^20", "wht 2^31"}) {
        const Transform problem = swirl::problem(text);
        planning::Schedule schedule;
        EXPECT_NO_THROW(schedule = gpu_schedule(problem, target::gpu_named("sm_90"))) << text;
        EXPECT_EQ(transform_schedule(to_string(schedule)), schedule) << text;
    }
}

TEST(SchedulesForGpus, AreRefusedBeyondEveryGpusMemory) {
    for (const char* text : {"dft 2^40", "dft 1099511627791 float32", "wht 2^55"}) {
        const std::string error =
            error_of<UserError>([&] { gpu_schedule(swirl::problem(text), target::gpu_named("sm_90")); });
        EXPECT_NE(error.find("use lengths up to"), std::string::npos) << text << error;
    }
}

} // namespace gpu_estimate_test
} // namespace swirl::search
