// Real transforms of odd length as complex ones on GPUs, in the interpreter: what they read and write, in how many kernels.

#include "loops/gpu/passes.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/kernel_counts.hpp"
#include "support/proved_schedule.hpp"
#include "support/transform_schedule.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

namespace swirl::search {
namespace gpu_embedding_test {

using support::counts_of;
using support::prove;

/// Of which a block has 48 KiB.
const target::Gpu& small_gpu() { return target::gpu_named("generic"); }

std::size_t kernels_of(const std::string& text, const planning::Schedule& schedule) {
    std::size_t kernels = 0;
    for (const auto& pass : planning::describe_passes(swirl::problem(text), schedule))
        kernels += pass.programs.size();
    return kernels;
}

constexpr const char* layouts[] = {"", " batch=2 scale=0.5", " inplace float32 batch=2", " in=2 batch=2",
                                   " out=3 float32"};

TEST(EmbeddedRealTransforms, TakeNoKernelsThatCopy) {
    struct Case {
        int n;
        std::size_t kernels;
        const char* inner;
    };
    for (const Case& c : {Case{14641, 2, "two-sweep("}, Case{15015, 2, "two-sweep("},
                          Case{8191, 3, "bluestein("}, Case{10007, 3, "bluestein("}})
        for (const char* direction : {"", " backward"})
            for (const char* layout : layouts) {
                const std::string text = fmt::format("rdft {}{}{}", c.n, direction, layout);
                const planning::Schedule schedule = gpu_schedule(swirl::problem(text), small_gpu());
                EXPECT_NE(to_string(schedule).find(std::string("rdft-embedding[") + c.inner),
                          std::string::npos)
                    << to_string(schedule);
                EXPECT_EQ(kernels_of(text, schedule), c.kernels) << text << ": " << to_string(schedule);
                prove(text, schedule);
            }
}

/// The radices that come first read from zero on, or pass the middle of the spectrum, at different entries.
TEST(EmbeddedRealTransforms, ComputeByAnyRadices) {
    struct Case {
        int n;
        const char* tree;
    };
    for (const Case& c :
         {Case{15, "stockham(5,3)"}, Case{15, "stockham(3,5)"}, Case{105, "stockham(15,7)"},
          Case{105, "stockham(7,15)"}, Case{105, "stockham(3,5,7)"}, Case{729, "stockham(9,9,9)"},
          Case{93, "stockham(31,3)"}, Case{29, "bluestein(64)[stockham(8,8), stockham(8,8)]"},
          Case{47, "bluestein(96)[stockham(12,8), stockham(8,12)]"},
          Case{1485, "two-sweep(45,1,1)[stockham(11,3), stockham(9,5)]"},
          Case{1485, "two-sweep(33,1,1)[stockham(9,5), stockham(11,3)]"}})
        for (const char* more : {"", " backward", " float32 inplace", " backward inplace"})
            for (const char* configuration : {"64x1", "64x2 pad 32 pitch 1", "64x3 single_buffer staged"})
                prove(fmt::format("rdft {}{} batch=3", c.n, more),
                      transform_schedule(
                          fmt::format("sm_90: 0 rdft-embedding[{}] on {}{}", c.tree, configuration,
                                      std::string(c.tree).starts_with("two") ? ", 64x4" : "")));
}

/// No call only moves entries.
TEST(EmbeddedRealTransforms, MoveNothingThroughSharedMemory) {
    for (const char* text : {"rdft 839 float32 batch=3", "rdft 839 backward float32 batch=3"}) {
        const Transform problem = swirl::problem(text);
        const planning::Schedule schedule = transform_schedule(
            "sm_90: 0 rdft-embedding[bluestein(1728)[stockham(12,12,12), stockham(12,12,12)]] on 144x1");
        const auto pass = planning::gpu_passes(problem, schedule).front();
        const planning::PassSchedule& own = schedule.transform().passes.front();
        bool was_seen = false;
        loops::loops_for_gpu(
            planning::kernel_request(problem, {pass, own.tree}).loops, own.configurations,
            {.regions =
                 [&](const loops::RegionsPass& now, const loops::KernelRegions& kernels) {
                     if (now.name != std::string_view("fold components")) return;
                     was_seen = true;
                     for (const loops::KernelRegion& region : kernels.regions)
                         for (const loops::Call& call : region.calls)
                             EXPECT_TRUE(call.codelet.formula || call.placement.sources.empty())
                                 << to_text(kernels);
                 },
             .kernels = {}});
        EXPECT_TRUE(was_seen);
        prove(text, schedule);
    }
}

/// Rows of odd length begin within sectors, so each warp touches another one.
TEST(EmbeddedRealTransforms, TouchFewMoreSectorsThanThereAre) {
    const Integer n = 839, batch = 4;
    const double reals = batch * n * 4.0 / 32, spectra = batch * (n / 2 + 1) * 8.0 / 32;
    const char* schedule =
        "sm_90: 0 rdft-embedding[bluestein(1728)[stockham(12,12,12), stockham(12,12,12)]] on 144x1";
    const support::KernelCounts forward = counts_of("rdft 839 float32 batch=4", schedule);
    EXPECT_LT(static_cast<double>(forward.read), 1.3 * reals);
    EXPECT_LT(static_cast<double>(forward.written), 1.3 * spectra);
    const support::KernelCounts backward = counts_of("rdft 839 backward float32 batch=4", schedule);
    EXPECT_LT(static_cast<double>(backward.read), 1.3 * spectra);
    EXPECT_LT(static_cast<double>(backward.written), 1.3 * reals);
    EXPECT_EQ(forward.barriers, 4); // between five passes: two of the six are one
    EXPECT_EQ(backward.barriers, 4);
}

/// Frequency 0 of a spectrum of reals has no imaginary component: what lies in its place is of no account.
TEST(EmbeddedRealTransforms, IgnoreTheImaginaryComponentOfFrequencyZero) {
    for (const int n : {6561, 8191}) {
        const std::string text = fmt::format("rdft {} backward", n);
        const Transform problem = swirl::problem(text);
        support::InterpretedPlan plan(problem, gpu_schedule(problem, small_gpu()));
        std::mt19937_64 random(7);
        std::vector<double> spectrum(static_cast<std::size_t>(n) + 1);
        for (double& x : spectrum) x = std::uniform_real_distribution(-1.0, 1.0)(random);
        std::vector<std::vector<double>> results;
        for (const double imaginary : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
            spectrum[1] = imaginary;
            results.emplace_back(static_cast<std::size_t>(n));
            planning::Arguments arguments;
            arguments.input = spectrum.data();
            arguments.output = results.back().data();
            plan.execute(arguments);
        }
        EXPECT_EQ(results[0], results[1]);
    }
}

} // namespace gpu_embedding_test
} // namespace swirl::search
