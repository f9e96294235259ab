#include "plan/check/transform.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/gpu/trees.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/kernel_counts.hpp"
#include "support/proved_schedule.hpp"
#include "support/transform_schedule.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace swirl::search {
namespace gpu_real_test {

using support::counts_of;
using support::prove;

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

TEST(RealTransformsOnGpus, UseHalfSizeComplexTransformsIfLong) {
    for (const Integer n : {1000, 1024, 4096}) {
        const std::string many = fmt::format("rdft {} float32 batch=65536", n);
        const planning::Schedule schedule = gpu_schedule(swirl::problem(many), gpu());
        if (n > 1000) {
            EXPECT_EQ(schedule.transform().passes[0].tree.rule, "rdft-half-size") << n;
        }
        for (const char* more : {" float32 batch=3", " backward batch=2", " inplace float32 batch=2"}) {
            const std::string text = fmt::format("rdft {}", n) + more;
            prove(text, gpu_schedule(swirl::problem(text), gpu()));
        }
    }
}

/// 82 has the prime factor 41, so the convolution has at least 2·83 − 3 points.
TEST(RealTransformsOnGpus, OfPrimesMayBePaddedRealConvolutions) {
    for (const Direction direction : {Direction::forward, Direction::backward}) {
        int padded = 0;
        for (const rules::BreakdownTree& tree : gpu_trees(formula::RDFT(83, direction), largest_gpu_radix)) {
            if (tree.rule != "rdft-rader") continue;
            EXPECT_EQ(tree.choice, (rules::Choice{180})) << "2^a·3^b·5^c";
            ++padded;
            const std::string more = direction == Direction::forward ? "" : " backward";
            for (const char* configuration : {"90x1 single_buffer", "60x2 pitch 1 staged"})
                prove("rdft 83 batch=3" + more,
                      transform_schedule(
                          fmt::format("sm_90: 0 {} on {}", rules::to_string(tree), configuration)));
        }
        EXPECT_GT(padded, 1);
    }
}

TEST(RealTransformsOnGpus, ComputeByManyMappings) {
    struct Case {
        const char* problem;
        const char* schedule;
    };
    const Case cases[] = {
        {"rdft 8 batch=40", "0 codelet on 32x16 pitch 1 staged"},
        {"rdft 8 backward batch=40", "0 codelet on 32x16 pitch 1 staged"},
        {"rdft 16 float32 backward batch=9", "0 rdft-half-size on 32x8 staged"},
        {"rdft 30 batch=5", "0 rdft-half-size[stockham(5,3)] on 32x4"},
        {"rdft 64 float32 batch=37", "0 rdft-half-size[stockham(8,4)] on 64x16 pad 32 pitch 1 staged"},
        {"rdft 64 float32 backward batch=37",
         "0 rdft-half-size[stockham(8,4)] on 64x16 pitch 1 single_buffer staged"},
        {"rdft 64 batch=6:(70,100)", "0 rdft-half-size[stockham(8,4)] on 64x4"},
        {"rdft 64 batch=6:(67,40)", "0 rdft-half-size[stockham(8,4)] on 64x4"},
        {"rdft 256 batch=5", "0 rdft-half-size[stockham(16,8)] on 64x4 pad 32 pitch 2 single_buffer"},
        {"rdft 1024 float32 batch=3", "0 rdft-half-size[stockham(2,8,32)] on 128x2 pad 32 single_buffer"},
        {"rdft 1024 backward batch=3", "0 rdft-half-size[stockham(16,8,4)] on 64x1 pad 32 single_buffer"},
        {"rdft 2048 float32 batch=2",
         "0 rdft-half-size[stockham(16,8,8)] on 128x1 pad 32 single_buffer staged"},
        {"rdft 8 float32 batch=70", "0 codelet on 32x32 staged out"},
        {"rdft 16 float32 backward batch=70", "0 codelet on 32x32 pitch 2 staged"},
        {"rdft 32 batch=70", "0 codelet on 64x64 single_buffer staged"},
        {"rdft 64 float32 backward batch=70", "0 codelet on 32x32 staged in"},
        {"rdft 64 batch=6:(70,100)", "0 codelet on 32x2 staged"},
        {"rdft 64 batch=6:(67,40)", "0 codelet on 32x2 staged"},
        {"rdft 64 inplace batch=40", "0 rdft-stockham(16,4) on 64x16 pitch 2 single_buffer staged"},
        {"rdft 256 float32 batch=20", "0 rdft-stockham(16,16) on 128x16 pitch 1 staged"},
        {"rdft 128 backward float32 batch=50",
         "0 rdft-stockham(16,8) on 64x32 pitch 1 single_buffer staged in"},
        {"rdft 20x64 batch=2", "1 rdft-half-size[stockham(8,4)] on 64x2; 0 stockham(5,4) on 64x4"},
    };
    for (const Case& c : cases) prove(c.problem, transform_schedule(std::string("sm_90: ") + c.schedule));
}

TEST(RealTransformsOnGpus, TouchFewMoreSectorsThanThereAre) {
    const Integer n = 1024, batch = 4;
    const Integer reals = batch * n * 4 / 32, spectra = batch * (n / 2 + 1) * 8 / 32 + 1;
    const char* schedule = "sm_90: 0 rdft-half-size[stockham(8,8,8)] on 64x1 pad 32 single_buffer";
    const support::KernelCounts forward = counts_of("rdft 1024 float32 batch=4", schedule);
    EXPECT_EQ(forward.read, reals);
    EXPECT_LT(static_cast<double>(forward.written), 1.15 * static_cast<double>(spectra));
    EXPECT_EQ(forward.barriers, 5); // one after each pass, and where threads hold what they have read
    const support::KernelCounts backward = counts_of("rdft 1024 float32 batch=4 backward", schedule);
    EXPECT_LT(static_cast<double>(backward.read), 1.15 * static_cast<double>(spectra));
    EXPECT_EQ(backward.written, reals);
    EXPECT_EQ(backward.barriers, 5);
}

TEST(RealTransformsOnGpus, SweepTwiceBeyondSharedMemory) {
    for (const char* text :
         {"rdft 8192", "rdft 16384 backward float32 batch=2", "rdft 10000 batch=2 inplace",
          "rdft 10000 backward", "rdft 12288 batch=2", "rdft 12288 backward inplace", "rdft 20000 planar"}) {
        const planning::Schedule schedule = gpu_schedule(swirl::problem(text), target::gpu_named("generic"));
        const bool swept = swirl::problem(text).dimensions[0].length % 8192 == 0;
        EXPECT_EQ(schedule.transform().passes[0].tree.rule == "rdft-two-sweep", swept) << text;
        prove(text, schedule);
    }
    for (const char* text : {"rdft 2^20 float32 batch=200", "rdft 2^20 float32 batch=200 backward"}) {
        const planning::Schedule schedule = gpu_schedule(swirl::problem(text), gpu());
        EXPECT_EQ(schedule.transform().passes[0].tree.rule, "rdft-two-sweep");
        EXPECT_EQ(schedule.transform().passes[0].configurations.size(), 3U); // of which one has but two rows
    }
    // The kernel of two rows takes as long as the sweeps where transforms are few.
    EXPECT_EQ(
        gpu_schedule(swirl::problem("rdft 65536 float32 batch=4"), gpu()).transform().passes[0].tree.rule,
        "rdft-half-size");
    const planning::Schedule combined =
        gpu_schedule(swirl::problem("rdft 13122 batch=2"), target::gpu_named("generic"));
    prove("rdft 13122 batch=2", combined);
    prove("rdft 16384 batch=2",
          transform_schedule("sm_90: 0 rdft-half-size[two-sweep(128,1,1)[stockham(8,8), stockham(16,8)]] "
                             "on 128x8 pad 32 pitch 1, 128x8 pad 32 pitch 1, 256x1"));
}

TEST(RealTransformsOnGpus, ExchangeInAClusterWhereTheyAreTwoSweeps) {
    const char* forward =
        "rdft-two-sweep(32)[rdft-half-size[stockham(8,8)], stockham(8,8), "
        "rdft-half-size[stockham(4,4)]]";
    const char* backward =
        "rdft-two-sweep(32)[rdft-half-size[stockham(4,4)], "
        "rdft-half-size[stockham(8,8)], stockham(8,8)]";
    for (const int blocks : {2, 4, 8})
        for (const char* layout : {" float32 batch=2", " planar batch=2", " float32 inplace batch=2"}) {
            const auto schedule = [&](const char* tree) {
                return transform_schedule(
                    fmt::format("sm_90: 0 {} on 64x1 cluster {} pad 32 pitch 1 single_buffer", tree, blocks));
            };
            prove(std::string("rdft 2048") + layout, schedule(forward));
            prove(std::string("rdft 2048 backward") + layout, schedule(backward));
        }
    for (const char* text : {"rdft 65536 float32", "rdft 65536 float32 backward",
                             "rdft 65536 float32 inplace", "rdft 65536 float32 backward inplace"}) {
        const Transform many = swirl::problem(std::string(text) + " batch=2048");
        const planning::Schedule schedule = gpu_schedule(many, gpu());
        EXPECT_EQ(schedule.transform().passes[0].configurations.size(), 1U);
        EXPECT_GT(schedule.transform().passes[0].configurations[0].cluster, 1);
        prove(text, schedule);
    }
}

TEST(RealTransformsOnGpus, TouchTheBanksOfSharedMemoryOneByOne) {
    struct Case {
        const char* problem;
        const char* schedule;
        double most; ///< cycles lost, of the accesses of warps
    };
    for (const Case& c :
         {Case{"rdft 64 float32 batch=64", "codelet on 64x64 single_buffer staged", 0.01},
          Case{"rdft 64 float32 backward batch=64", "codelet on 64x64 single_buffer staged", 0.04},
          Case{"rdft 256 float32 batch=32", "rdft-stockham(16,16) on 128x32 pitch 1 staged", 0.25}}) {
        SCOPED_TRACE(c.problem);
        const support::KernelCounts counts = counts_of(c.problem, std::string("sm_90: 0 ") + c.schedule);
        EXPECT_LE(static_cast<double>(counts.lost), c.most * static_cast<double>(counts.shared));
    }
}

TEST(RealTransformsOnGpus, StageWholeSpectra) {
    const support::KernelCounts backward =
        counts_of("rdft 8 float32 batch=256 backward", "sm_90: 0 codelet on 128x128 pitch 1 staged");
    EXPECT_EQ(backward.read, 256 * 5 * 8 / 32);
    EXPECT_EQ(backward.written, 256 * 8 * 4 / 32);
    EXPECT_EQ(backward.barriers, 2);
}

} // namespace gpu_real_test
} // namespace swirl::search
