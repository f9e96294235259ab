#include "plan/check/problem_data.hpp"
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
namespace gpu_real_convolution_test {

using Complex = std::complex<double>;

using support::prove;

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

void prove(const std::string& text) {
    SCOPED_TRACE(text);
    prove(text, gpu_schedule(swirl::problem(text), gpu()));
}

TEST(RealConvolutionsOnGpus, EqualDirectSums) {
    for (const Integer n : {1, 2, 5, 8, 12, 60, 64}) {
        const Transform problem = swirl::problem(fmt::format("rconvolution {} batch=3", n));
        planning::ProblemData data(problem);
        data.fill(3);
        std::mt19937 generator(static_cast<unsigned>(n));
        std::uniform_real_distribution<double> uniform(-1, 1);
        std::vector<double> kernel(static_cast<std::size_t>(n));
        for (double& value : kernel) value = uniform(generator);
        for (Integer m = 0; 2 * m <= n; ++m) {
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

TEST(RealConvolutionsOnGpus, AreOneKernelWithMinimalTraffic) {
    for (const Integer n : {8, 16, 63, 100, 256, 1000, 2048, 8192}) {
        const std::string text = fmt::format("rconvolution {} float32 batch=4", n);
        const planning::Schedule schedule = gpu_schedule(swirl::problem(text), gpu());
        const auto passes = planning::describe_passes(swirl::problem(text), schedule);
        ASSERT_EQ(passes.size(), 1U) << n;
        EXPECT_EQ(passes[0].programs.size(), 1U) << n << " " << to_string(schedule);
        prove(text, schedule);
    }
}

TEST(RealConvolutionsOnGpus, HaveEveryLayoutAndPrecision) {
    for (const char* text : {
             "rconvolution 64 batch=5",
             "rconvolution 64 float16 batch=5",
             "rconvolution 65 bfloat16 batch=5",
             "rconvolution 64 float32 inplace batch=5",
             "rconvolution 63 float32 batch=5 scale=0.25",
             "rconvolution 64 float32 strides=7 batch=7:1",
             "rconvolution 64 float32 in=3 out=2 batch=4:(300,200)",
             "rconvolution 60 float32 batch=3x4",
             "rconvolution 127 float32 batch=3",
             "rconvolution 64 float32 batch=5 spectrum=each",
             "rconvolution 64 float32 strides=35 batch=35:1 spectrum=each",
             "rconvolution 256 float16 batch=3 spectrum=each",
             "rconvolution 1 batch=5",
         })
        prove(text);
}

TEST(RealConvolutionsOnGpus, HaveSeveralDimensions) {
    for (const char* text : {
             "rconvolution 16x12",
             "rconvolution 16x13 float32 batch=3 spectrum=each",
             "rconvolution 8x6x10 float32 batch=2 inplace",
             "rconvolution 16x16 float16 batch=2 scale=0.5",
             "rconvolution 1x16x1x8 float32",
             "rconvolution 16x1",
             "rconvolution 1x1",
         })
        prove(text);
}

TEST(RealConvolutionsOnGpus, ReadAndWritePartsOfTheirBlocks) {
    for (const char* text : {
             "rconvolution 64 float32 batch=5:(40,40) load=\"x where i < 40\" store=\"x where i < 40\"",
             "rconvolution 64 float32 batch=5:(49,49) store=\"x where i >= 15\"",
             "rconvolution 16x16 float32 load=\"x where i0 < 9 and i1 < 10\" store=\"2 * x where i0 >= 3 and "
             "i1 < 12\"",
         })
        prove(text);
}

TEST(RealConvolutionsOnGpus, HaveAScheduleForEveryTree) {
    for (const char* tree : {
             "circulant-stockham(8,8,4) on 32x1",
             "circulant-half-size[stockham(16,8), stockham(16,8)] on 16x1",
             "circulant-rdft[rdft-stockham(8,8,4), rdft-stockham(8,8,4)] on 32x1",
             "circulant-rdft[rdft-half-size[stockham(16,8)], rdft-half-size[stockham(16,8)]] on 16x1",
         }) {
        SCOPED_TRACE(tree);
        prove("rconvolution 256 float32 batch=3", transform_schedule(std::string("sm_90: 0 ") + tree));
    }
}

TEST(RealConvolutionsOnGpus, AreSweepsBeyondABlock) {
    for (const char* text :
         {"rconvolution 65536 float32", "rconvolution 32768 batch=2",
          "rconvolution 65536 batch=2 spectrum=each", "rconvolution 90000", "rconvolution 3000x2 float32"})
        prove(text);
}

} // namespace gpu_real_convolution_test
} // namespace swirl::search
