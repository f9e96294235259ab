#include "ir/interpreter.hpp"
#include "plan/check/transform.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/proved_schedule.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <string>
#include <vector>

namespace swirl::search {
namespace gpu_convolution_test {

using Complex = std::complex<double>;

using support::prove;

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

void prove(const std::string& text) { prove(text, gpu_schedule(swirl::problem(text), gpu())); }

TEST(ConvolutionsOnGpus, EqualDirectSums) {
    for (const Integer n : {1, 2, 5, 8, 12, 60, 64}) {
        const Transform problem = swirl::problem(fmt::format("convolution {} batch=3", n));
        planning::ProblemData data(problem);
        data.fill(3);
        std::mt19937 generator(static_cast<unsigned>(n));
        std::uniform_real_distribution<double> uniform(-1, 1);
        std::vector<Complex> kernel(static_cast<std::size_t>(n));
        for (Complex& value : kernel) value = {uniform(generator), uniform(generator)};
        for (Integer m = 0; m < n; ++m) {
            Complex sum = 0;
            for (Integer j = 0; j < n; ++j)
                sum += kernel[static_cast<std::size_t>(j)] *
                       std::polar(1.0, -2 * M_PI * static_cast<double>(j * m % n) / static_cast<double>(n));
            data.set_auxiliary(0, m, sum);
        }
        support::InterpretedPlan(problem, gpu_schedule(problem, gpu())).execute(data.arguments());
        for (Integer b = 0; b < 3; ++b)
            for (Integer k = 0; k < n; ++k) {
                Complex sum = 0;
                for (Integer j = 0; j < n; ++j)
                    sum +=
                        kernel[static_cast<std::size_t>(j)] * data.get(Side::input, b * n + modulo(k - j, n));
                EXPECT_LT(std::abs(data.get(Side::output, b * n + k) - sum), 1e-12)
                    << n << " " << b << " " << k;
            }
    }
}

TEST(ConvolutionsOnGpus, AreOneKernelWithMinimalTraffic) {
    for (const Integer n : {8, 16, 64, 100, 256, 1000, 1024, 2048, 4096}) {
        const std::string text = fmt::format("convolution {} float32 batch=4", n);
        const planning::Schedule schedule = gpu_schedule(swirl::problem(text), gpu());
        const auto passes = planning::describe_passes(swirl::problem(text), schedule);
        ASSERT_EQ(passes.size(), 1U) << n;
        EXPECT_EQ(passes[0].programs.size(), 1U) << n << " " << to_string(schedule);
        prove(text, schedule);
    }
}

TEST(ConvolutionsOnGpus, HaveEveryLayoutAndPrecision) {
    for (const char* text : {
             "convolution 64 batch=5",
             "convolution 64 planar batch=5",
             "convolution 64 float16 batch=5",
             "convolution 64 bfloat16 planar batch=5",
             "convolution 64 float32 inplace batch=5",
             "convolution 64 float32 planar inplace batch=5",
             "convolution 64 float32 batch=5 scale=0.25",
             "convolution 64 float32 strides=7 batch=7:1",
             "convolution 64 float32 in=3 out=2 batch=4:(300,200)",
             "convolution 60 float32 batch=3x4",
             "convolution 127 float32 batch=3",
             "convolution 74 float32 batch=3",
             "convolution 1 batch=5",
         })
        prove(text);
}

TEST(ConvolutionsOnGpus, MayHaveASpectrumForEachTransform) {
    for (const char* text : {
             "convolution 64 float32 batch=5 spectrum=each",
             "convolution 64 planar batch=3x4 spectrum=each",
             "convolution 64 float32 strides=35 batch=35:1 spectrum=each",
             "convolution 256 float16 batch=3 spectrum=each",
         })
        prove(text);
}

TEST(ConvolutionsOnGpus, HaveSeveralDimensions) {
    for (const char* text : {
             "convolution 16x12",
             "convolution 16x12 float32 batch=3 spectrum=each",
             "convolution 8x6x10 float32 planar batch=2",
             "convolution 16x16 float16 batch=2 scale=0.5",
             "convolution 1x16x1x8 float32",
             "convolution 1x1",
         })
        prove(text);
}

TEST(ConvolutionsOnGpus, MirroredTreesMultiplyWithoutExchange) {
    const std::string text = "convolution 256 float32 batch=3";
    const auto barriers_of = [&](const std::string& schedule) {
        const planning::Schedule parsed = transform_schedule("sm_90: 0 " + schedule);
        prove(text, parsed);
        prove("convolution 256 strides=5 batch=5:1 spectrum=each", parsed);
        Integer barriers = 0;
        const auto passes = planning::describe_passes(swirl::problem(text), parsed);
        for (const ir::Statement& statement : passes[0].programs[0].body)
            barriers += std::holds_alternative<ir::Barrier>(statement.node);
        return barriers;
    };
    const Integer merged =
        barriers_of("circulant-dft[stockham(4,8,8), stockham(8,8,4)] on 64x2 pad 32 pitch 1");
    const Integer apart =
        barriers_of("circulant-dft[stockham(8,8,4), stockham(8,8,4)] on 64x2 pad 32 pitch 1");
    EXPECT_EQ(merged + 1, apart);
}

TEST(ConvolutionsOnGpus, AreSweepsBeyondABlock) {
    struct Case {
        const char* problem;
        const char* schedule;
        std::size_t kernels;
    };
    const Case cases[] = {
        {"convolution 1024 float32 batch=2",
         "0 circulant-dft[two-sweep(32,1,1)[stockham(8,4)], two-sweep(32,1,1)[stockham(8,4)]] on 64x16", 4},
        {"convolution 4096 float32 batch=2 spectrum=each",
         "0 circulant-dft[two-sweep(64,1,1)[stockham(8,8)], two-sweep(64,1,1)[stockham(8,8)]] on 256x1 pad "
         "32 pitch 1 "
         "single_buffer cluster 8",
         1},
        {"convolution 2048 float32 batch=2",
         "0 circulant-dft[two-sweep(64,1,1)[stockham(8,4), stockham(8,8)], two-sweep(32,1,1)[stockham(8,8), "
         "stockham(8,4)]] on 64x1 pad 32 pitch 1 single_buffer cluster 4",
         1},
    };
    for (const Case& c : cases) {
        const planning::Schedule schedule = transform_schedule(std::string("sm_90: ") + c.schedule);
        EXPECT_EQ(planning::describe_passes(swirl::problem(c.problem), schedule)[0].programs.size(),
                  c.kernels);
        prove(c.problem, schedule);
    }
}

TEST(ConvolutionsOnGpus, HaveLargePrimesBeyondABlock) {
    target::Gpu small = gpu();
    small.max_shared_bytes_per_block = 8192;
    small.largest_cluster = 1;
    for (const char* text : {"convolution 587 batch=2", "convolution 1153 float32 planar",
                             "convolution 587 batch=3 spectrum=each scale=0.5", "convolution 587x2"}) {
        const planning::Schedule schedule = gpu_schedule(swirl::problem(text), small);
        EXPECT_NE(to_string(schedule).find("circulant-dft[bluestein("), std::string::npos)
            << to_string(schedule);
        prove(text, schedule);
    }
    for (const char* text : {"convolution 1174 float32 inplace", "convolution 1739"}) // 2·587, 37·47
        prove(text, gpu_schedule(swirl::problem(text), small));
    for (const char* text : {"convolution 100003 float32", "convolution 65537x3 inplace"})
        EXPECT_NO_THROW(gpu_schedule(swirl::problem(text), gpu())) << text;
}

TEST(ConvolutionsOnGpus, WaitForTheirSpectrumWhileOtherBlocksWork) {
    for (const Integer n : {600, 900, 1200, 1800}) {
        const Transform problem = swirl::problem(fmt::format("convolution {} float32 batch=30000", n));
        const planning::Schedule schedule = gpu_schedule(problem, target::gpu_named("sm_90"));
        ASSERT_EQ(schedule.transform().passes[0].configurations.size(), 1U);
        EXPECT_GE(schedule.transform().passes[0].configurations[0].resident, 4) << to_string(schedule);
    }
}

} // namespace gpu_convolution_test
} // namespace swirl::search
