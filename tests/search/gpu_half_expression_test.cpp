#include "emit/ptx_compiler.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/proved_schedule.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

namespace swirl::search {
namespace gpu_half_expression_test {

using Complex = std::complex<double>;

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

void prove(const std::string& text, const std::string& schedule = "") {
    support::prove(text, schedule.empty() ? gpu_schedule(swirl::problem(text), gpu())
                                          : transform_schedule("sm_90: " + schedule));
}

Complex root(Integer jk, Integer n) {
    return std::polar(1.0, 2 * M_PI * static_cast<double>(jk % n) / static_cast<double>(n));
}

TEST(ExpressionsOfHalfSpectra, StoreByTheirMeaningAroundTheDefinition) {
    for (const Integer n : {12, 15, 64, 97}) {
        const Transform problem =
            swirl::problem(fmt::format("rdft {} batch=3 store=\"i == 0 ? x + complex(0, 1) : "
                                       "conj(x) * complex h[b, i] - i\"",
                                       n));
        planning::ProblemData data(problem);
        data.fill(5);
        support::InterpretedPlan(problem, gpu_schedule(problem, gpu())).execute(data.arguments());
        const Integer values = n / 2 + 1;
        for (Integer b = 0; b < 3; ++b)
            for (Integer k = 0; k < values; ++k) {
                Complex sum = 0;
                for (Integer j = 0; j < n; ++j)
                    sum += data.get(Side::input, n * b + j).real() * std::conj(root(j * k, n));
                const Integer at = values * b + k;
                const Complex expected =
                    k == 0 ? sum + Complex(0, 1)
                           : std::conj(sum) * data.get_auxiliary(0, at) - static_cast<double>(k);
                EXPECT_LT(std::abs(data.get(Side::output, at) - expected), 1e-11)
                    << n << " " << b << " " << k;
            }
    }
}

TEST(ExpressionsOfHalfSpectra, LoadByTheirMeaningAroundTheDefinition) {
    for (const Integer n : {12, 15, 64, 97}) {
        const Transform problem = swirl::problem(
            fmt::format("rdft {} backward batch=3 load=\"x * complex h[i] - complex(b, i)\"", n));
        planning::ProblemData data(problem);
        data.fill(5);
        support::InterpretedPlan(problem, gpu_schedule(problem, gpu())).execute(data.arguments());
        const Integer values = n / 2 + 1;
        for (Integer b = 0; b < 3; ++b)
            for (Integer j = 0; j < n; ++j) {
                double sum = 0;
                for (Integer k = 0; k < values; ++k) {
                    const Complex x = data.get(Side::input, values * b + k) * data.get_auxiliary(0, k) -
                                      Complex(static_cast<double>(b), static_cast<double>(k));
                    const bool once = k == 0 || 2 * k == n;
                    sum += (once ? 1 : 2) * (x * root(j * k, n)).real();
                }
                EXPECT_LT(std::abs(data.get(Side::output, n * b + j) - sum), 1e-10)
                    << n << " " << b << " " << j;
            }
    }
}

TEST(ExpressionsOfHalfSpectra, GoWithEveryLengthLayoutAndPlacement) {
    const char* expressions[] = {"0.5 * x", "x * complex h[i]", "complex(im(x), re(x)) * w[b, i]",
                                 "i > 0 ? conj(x) * complex h[i] : 0", "x where i >= 1 and i < 9"};
    std::size_t next = 0;
    for (const Integer n : {1,  2,  3,  4,  5,  6,  7,  8,  9,  12,  15,  16,  17, 24,
                            30, 31, 32, 45, 49, 60, 64, 74, 97, 127, 128, 210, 256})
        for (const char* placement : {"", " inplace", " planar"}) {
            const std::string expression = n < 16 ? expressions[next % 3] : expressions[next % 5];
            const char* precision = next++ % 2 == 0 ? " float32" : "";
            prove(fmt::format("rdft {}{}{} batch=3 store=\"{}\"", n, precision, placement, expression));
            prove(
                fmt::format("rdft {} backward{}{} batch=3 load=\"{}\"", n, precision, placement, expression));
        }
}

TEST(ExpressionsOfHalfSpectra, ConvertTypesAndGoWithOtherDimensionsAndStrides) {
    for (const char* text : {
             "rdft 64 float32 batch=3 store=\"float16: x * w[i]\"",
             "rdft 64 float32 batch=3 load=\"bfloat16: x\" store=\"float16: 0.125 * x\"",
             "rdft 60 float32 backward batch=3 load=\"float16: x\"",
             "rdft 64 float16 batch=3 store=\"0.125 * x\"",
             "rdft 20x64 batch=2 store=\"x * w[i0, i1]\"",
             "rdft 20x64 backward batch=2 load=\"x * w[i0, i1] where i1 < 20\"",
             "rdft 6x5x16 backward inplace load=\"x * complex h[i2, i0]\"",
             "rdft 64 batch=6:(70,100) store=\"x * complex h[i, b]\"",
             "rdft 32 batch=3x4 load=\"x * w[i]\" store=\"x * s[i] * b1 - b0\"",
             "rdft 64 float32 batch=3:(64,20) store=\"x where i < 20\"",
             "rdft 64 float32 backward batch=3:(20,64) load=\"x where i < 20\"",
         })
        prove(text);
}

TEST(ExpressionsOfHalfSpectra, AreFusedIntoKernelsOfAllKinds) {
    const std::string forward =
        "0 rdft-two-sweep(32)[rdft-half-size[stockham(8,8)], stockham(8,8), rdft-half-size[stockham(4,4)]]";
    const std::string backward =
        "0 rdft-two-sweep(32)[rdft-half-size[stockham(4,4)], rdft-half-size[stockham(8,8)], stockham(8,8)]";
    struct Case {
        const char* problem;
        std::string schedule;
    };
    const Case cases[] = {
        {"rdft 64 float32 batch=37 store=\"x * w[i]\"",
         "0 rdft-half-size[stockham(8,4)] on 64x16 pad 32 pitch 1 staged"},
        {"rdft 64 float32 backward batch=37 load=\"2 * x\"",
         "0 rdft-half-size[stockham(8,4)] on 64x16 pitch 1 single_buffer staged"},
        {"rdft 64 float32 batch=70 store=\"x * w[i]\"", "0 codelet on 32x32 staged"},
        {"rdft 256 float32 batch=20 store=\"conj(x) * w[b]\"",
         "0 rdft-stockham(16,16) on 128x16 pitch 1 staged"},
        {"rdft 128 float32 backward batch=50 load=\"conj(x) * w[b]\"",
         "0 rdft-stockham(16,8) on 64x32 pitch 1 single_buffer staged in"},
        {"rdft 1024 float32 batch=3 store=\"x * complex h[i] where i < 300\"",
         "0 rdft-half-size[stockham(2,8,32)] on 128x2 pad 32 single_buffer"},
        {"rdft 1024 backward batch=3 load=\"x * complex h[i] where i < 300\"",
         "0 rdft-half-size[stockham(16,8,4)] on 64x1 pad 32 single_buffer"},
        {"rdft 2048 float32 batch=2 store=\"x * w[b, i]\"", forward + " on 64x4"},
        {"rdft 2048 float32 backward batch=2 load=\"x * complex w[b, i]\"", backward + " on 64x4"},
        {"rdft 2048 float32 backward inplace batch=2 load=\"x * complex w[b, i]\"", backward + " on 64x4"},
        {"rdft 2048 float32 batch=2 store=\"x * w[b, i]\"",
         forward + " on 64x1 cluster 4 pad 32 pitch 1 single_buffer"},
        {"rdft 2048 planar batch=2 store=\"x * w[b, i] where i < 700\"",
         forward + " on 64x1 cluster 4 pad 32 pitch 1 single_buffer"},
        {"rdft 2048 float32 backward batch=2 load=\"x * complex w[b, i] where i > 7\"",
         backward + " on 64x1 cluster 4 pad 32 pitch 1 single_buffer"},
    };
    for (const Case& c : cases) {
        prove(c.problem, c.schedule);
        // As many kernels as without: what is done to numbers takes none of its own.
        const Transform problem = swirl::problem(c.problem);
        Transform plain = problem;
        plain.load = plain.store = Expression();
        const planning::Schedule schedule = transform_schedule("sm_90: " + c.schedule);
        EXPECT_EQ(planning::describe_passes(problem, schedule).front().programs.size(),
                  planning::describe_passes(plain, schedule).front().programs.size())
            << c.problem;
    }
    for (const char* text :
         {"rdft 100000 float32 store=\"x * complex h[i]\"", "rdft 65536 float32 backward load=\"x * w[i]\""})
        prove(text);
}

TEST(ExpressionsOfHalfSpectra, AreModulesThatNvidiasAssemblerTakes) {
    const auto compiler = emit::ptx_compiler();
    if (!compiler) GTEST_SKIP() << "no ptxas";
    for (const char* text :
         {"rdft 1024 float32 batch=100 store=\"float16: x * complex h[i] where i < 300\"",
          "rdft 1000 float32 backward batch=100 load=\"i > 2 ? conj(x) * complex h[b, i] : 0\""}) {
        const Transform problem = swirl::problem(text);
        for (const planning::GpuPassDescription& pass :
             planning::describe_passes(problem, gpu_schedule(problem, gpu())))
            for (const std::string& module : pass.ptx)
                EXPECT_EQ(emit::complaints(*compiler, module, "sm_90"), "");
    }
}

} // namespace gpu_half_expression_test
} // namespace swirl::search
