#include "emit/ptx_compiler.hpp"
#include "plan/check/transform.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/expression_at.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/callback_cases.hpp"
#include "support/interpreted_plan.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::search {
namespace gpu_expression_test {

using Complex = std::complex<double>;

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

/// Throws where the plan, interpreted, is not the transform with its expressions.
void prove(const std::string& text, const std::string& schedule = "") {
    const Transform problem = swirl::problem(text);
    const planning::Schedule chosen =
        schedule.empty() ? gpu_schedule(problem, gpu()) : transform_schedule("sm_90: " + schedule);
    SCOPED_TRACE(text + ": " + to_string(chosen));
    support::InterpretedPlan plan(problem, chosen);
    EXPECT_NO_THROW(planning::check_against_definition(
        problem, chosen, [&](planning::ProblemData& data) { plan.execute(data.arguments()); }));
}

TEST(ExpressionsOnGpus, EqualTheirMeaningAroundTheDefinition) {
    const std::string text =
        "dft 12 batch=3 load=\"x * complex w[b, i] - 0.25\" store=\"i < 5 ? conj(x) : 2 * x * s[i]\"";
    const Transform problem = swirl::problem(text);
    planning::ProblemData data(problem);
    data.fill(5);
    support::InterpretedPlan(problem, gpu_schedule(problem, gpu())).execute(data.arguments());
    for (Integer b = 0; b < 3; ++b)
        for (Integer k = 0; k < 12; ++k) {
            Complex sum = 0;
            for (Integer j = 0; j < 12; ++j)
                sum += (data.get(Side::input, 12 * b + j) * data.get_auxiliary(0, 12 * b + j) - 0.25) *
                       std::polar(1.0, -2 * M_PI * static_cast<double>(j * k) / 12);
            const Complex expected = k < 5 ? std::conj(sum) : 2.0 * sum * data.get_auxiliary(1, k);
            EXPECT_LT(std::abs(data.get(Side::output, 12 * b + k) - expected), 1e-12) << b << " " << k;
        }
}

TEST(ExpressionsOnGpus, SupportTheWholeLanguage) {
    for (const std::string expression : support::callback_expressions) {
        const std::string quoted = "=\"" + expression + "\"";
        prove("dft 64 batch=5 load" + quoted);
        prove("dft 64 float32 planar batch=5 store" + quoted);
        prove("convolution 64 float32 batch=5 store" + quoted + " load" + quoted);
    }
}

TEST(ExpressionsOnGpus, GoWithEveryKindLayoutAndSize) {
    for (const char* problem : support::callback_problems) prove(problem);
}

TEST(ExpressionsOnGpus, GoWithPlanarDataAndLargePrimes) {
    for (const char* load : {"x where i < 20", "x * complex w[i] where i >= 5", "x * w[i]", "i < 20 ? x : 1"})
        for (const char* problem :
             {"dft 37", "dft 74 float32", "dft 79 batch=3", "dft 121", "dft 131 inplace", "convolution 79",
              "convolution 37 float32 batch=2", "rdft 67", "rdft 74"}) {
            const bool is_complex = std::string_view(load).find("complex") != std::string_view::npos;
            if (is_complex && std::string_view(problem).starts_with("rdft")) continue;
            prove(std::string(problem) + " planar load=\"" + load + "\"");
            prove(std::string(problem) + " planar store=\"" + load + "\"");
        }
    prove("dft 8003 planar float32 load=\"x where i < 4000\"");
}

TEST(ExpressionsOnGpus, ConvertTypes) {
    for (const char* text : {
             "dft 64 float32 batch=3 load=\"float16: x\"",
             "dft 64 float32 batch=3 load=\"bfloat16: x * float16 w[i]\" store=\"float16: 0.125 * x\"",
             "dft 64 batch=3 load=\"float32: x\"",
             "dft 64 float16 batch=3 store=\"float32: x * w[i]\"",
             "rdft 64 float32 batch=3 load=\"float16: x\"",
             "convolution 64 float32 batch=3 load=\"float16: x\" store=\"float64: x\"",
             "dft 64 float32 inplace batch=3 load=\"float16: x\" store=\"float16: 0.125 * x\"",
         })
        prove(text);
}

TEST(ExpressionsOnGpus, GoWithManyMappings) {
    struct Case {
        const char* problem;
        const char* schedule;
    };
    const Case cases[] = {
        {"dft 64 float32 batch=37 load=\"x * w[i]\" store=\"x * s[i]\"",
         "0 stockham(8,8) on 64x16 pad 32 staged"},
        {"dft 64 float32 batch=37 load=\"0.5 * x\" store=\"-x\"",
         "0 stockham(8,8) on 64x16 pad 32 pitch 1 staged"},
        {"dft 256 float32 batch=5 load=\"x * w[b, i] where i < 200\"",
         "0 stockham(4,8,8) on 256x16 pad 32 pitch 2 single_buffer"},
        {"dft 1024 float32 batch=2 load=\"x * w[b, i]\" store=\"x where i < 900\"",
         "0 two-sweep(32,1,1)[stockham(8,4)] on 64x16"},
        {"dft 4096 float32 batch=2 load=\"x * w[b, i]\" store=\"x where i < 900\"",
         "0 two-sweep(64,1,1)[stockham(8,8)] on 256x1 pad 32 pitch 1 single_buffer cluster 2"},
    };
    for (const Case& c : cases) prove(c.problem, c.schedule);
}

TEST(ExpressionsOnGpus, DoNotTouchWhatTheyLeaveOut) {
    // The arrays end where the last element is touched; the interpreter and these buffers would notice more.
    for (const char* text : {"dft 64 load=\"x where i < 40\" store=\"x where i < 30\" batch=3:(40,30)",
                             "dft 64 float32 load=\"i < 40 ? x : 0\" batch=3:(40,64)"}) {
        const Transform problem = swirl::problem(text);
        EXPECT_EQ(extent(problem, Side::input), (Extent{0, 3 * 40 - 1}));
        prove(text);
    }
}

TEST(FusedOperations, AreModulesThatNvidiasAssemblerTakes) {
    const auto compiler = emit::ptx_compiler();
    if (!compiler) GTEST_SKIP() << "no ptxas";
    for (const char* text : {"convolution 1024 float32 batch=100", "convolution 256 batch=100 spectrum=each",
                             "dft 1024 float32 batch=100 load=\"float16: x * w[i] where i < 700\" "
                             "store=\"i < 512 ? conj(x) * complex h[b, i] : -x where i >= 9\""}) {
        const Transform problem = swirl::problem(text);
        for (const planning::GpuPassDescription& pass :
             planning::describe_passes(problem, gpu_schedule(problem, gpu())))
            for (const std::string& module : pass.ptx)
                EXPECT_EQ(emit::complaints(*compiler, module, "sm_90"), "");
    }
}

} // namespace gpu_expression_test
} // namespace swirl::search
