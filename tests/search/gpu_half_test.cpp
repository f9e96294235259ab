// Numbers of 16 bits on GPUs, in the interpreter: what is stored is what float32 gives, rounded once.

#include "base/error.hpp"
#include "emit/ptx_compiler.hpp"
#include "plan/check/transform.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/error_of.hpp"
#include "support/interpreted_plan.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace swirl::search {
namespace gpu_half_test {

using planning::ProblemData;

const target::Gpu& card() { return target::gpu_named("sm_90"); }

Transform in_float32(Transform problem) {
    problem.precision = DataType::float32;
    return problem;
}

template <class F> void for_each_place(const Transform& problem, Side side, F&& f) {
    const Extent reach = extent(problem, side);
    for (Integer offset = reach.lowest; offset <= reach.highest; ++offset) f(offset);
}

/// The plan's results, and those of the same schedule in float32 for the same numbers.
struct Results {
    Results(const Transform& problem, const planning::Schedule& schedule)
        : narrow(problem), wide(in_float32(problem)) {
        narrow.fill(5);
        for_each_place(problem, Side::input,
                       [&](Integer at) { wide.set(Side::input, at, narrow.get(Side::input, at)); });
        support::InterpretedPlan(problem, schedule).execute(narrow.arguments());
        support::InterpretedPlan(in_float32(problem), schedule).execute(wide.arguments());
    }
    ProblemData narrow, wide;
};

double relative_error(const Transform& problem, const Results& results) {
    double difference = 0, norm = 0;
    for_each_place(problem, Side::output, [&](Integer at) {
        const auto expected = results.wide.get(Side::output, at);
        difference += std::norm(results.narrow.get(Side::output, at) - expected);
        norm += std::norm(expected);
    });
    return std::sqrt(difference / norm);
}

TEST(HalvesOnGpus, AreComputedInFloat32AndRoundedOnce) {
    for (const char* text :
         {"dft 8 batch=40", "dft 64 batch=3 backward", "dft 60 inplace scale=0.3", "dft 100 planar batch=2",
          "dft 1024", "dft 31 strides=-1 batch=4:-31", "rdft 64 batch=3", "rdft 60 backward inplace",
          "rdft 30 planar", "wht 64", "wht_sequency 64", "dct2 60 batch=3", "dst5 60 batch=3"})
        for (const char* precision : {"float16", "bfloat16"}) {
            const Transform problem = swirl::problem(std::string(text) + " " + precision);
            SCOPED_TRACE(to_text(problem));
            const planning::Schedule schedule = gpu_schedule(problem, card());
            const Results results(problem, schedule);
            ProblemData rounded(problem);
            for_each_place(problem, Side::output, [&](Integer at) {
                rounded.set(Side::output, at, results.wide.get(Side::output, at));
                EXPECT_EQ(results.narrow.get(Side::output, at), rounded.get(Side::output, at)) << at;
            });
            const double error = relative_error(problem, results);
            EXPECT_LT(error, problem.precision == DataType::float16 ? 0x1p-11 : 0x1p-8);
            EXPECT_GT(error, 0);
        }
}

TEST(HalvesOnGpus, StayInFloat32BetweenTwoKernels) {
    const Transform problem = swirl::problem("dft 1024 float16 batch=2");
    for (const char* text :
         {"sm_90: 0 two-sweep(32,1,1)[stockham(8,4)] on 64x16", "sm_90: 0 stockham(16,8,8) on 64x1 pad 32",
          "sm_90: 0 stockham(32,32) on 32x1"}) {
        const planning::Schedule schedule = transform_schedule(text);
        const Results results(problem, schedule);
        ProblemData rounded(problem);
        for_each_place(problem, Side::output, [&](Integer at) {
            rounded.set(Side::output, at, results.wide.get(Side::output, at));
            EXPECT_EQ(results.narrow.get(Side::output, at), rounded.get(Side::output, at)) << text;
        });
        for (const auto& pass : planning::describe_passes(problem, schedule))
            for (const ir::Program& program : pass.programs)
                for (const ir::BufferInfo& buffer : program.buffers)
                    EXPECT_EQ(buffer.element == DataType::float16,
                              buffer.name == "input" || buffer.name == "output")
                        << buffer.name;
    }
}

TEST(HalvesOnGpus, AreRoundedOnceForEachDimension) {
    for (const char* text : {"dft 16x20", "dft 12x8x4 inplace", "rdft 16x20", "rdft 12x30 backward",
                             "dft 32x32 batch=2 scale=1/1024"})
        for (const char* precision : {"float16", "bfloat16"}) {
            const Transform problem = swirl::problem(std::string(text) + " " + precision);
            SCOPED_TRACE(to_text(problem));
            const planning::Schedule schedule = gpu_schedule(problem, card());
            EXPECT_LT(relative_error(problem, Results(problem, schedule)),
                      2 * (problem.precision == DataType::float16 ? 0x1p-11 : 0x1p-8));
            EXPECT_NO_THROW(planning::check_against_definition(problem, schedule, [&](ProblemData& data) {
                support::InterpretedPlan(problem, schedule).execute(data.arguments());
            }));
        }
}

TEST(HalvesOnGpus, OverflowBeyond65504AndNotBetweenDimensions) {
    const auto first = [](const char* text, double value) {
        const Transform problem = swirl::problem(text);
        ProblemData data(problem);
        for_each_place(problem, Side::input, [&](Integer at) { data.set(Side::input, at, value); });
        support::InterpretedPlan(problem, gpu_schedule(problem, card())).execute(data.arguments());
        return data.get(Side::output, 0).real();
    };
    EXPECT_EQ(first("dft 512 float16", 127), 65024);
    EXPECT_EQ(first("dft 512 float16", 128), HUGE_VAL);
    EXPECT_EQ(first("dft 512 float16 scale=1/512", 128), 128);
    EXPECT_EQ(first("dft 512 bfloat16", 128), 65536);
    EXPECT_EQ(first("dft 8x512 float16 scale=1/4096", 200), 200);
    EXPECT_EQ(first("dft 512x8 float16 scale=1/4096 inplace", 200), 200);
}

TEST(HalvesOnGpus, AreCheckedWithTolerancesOfTheirOwn) {
    const Transform problem = swirl::problem("dft 64 float16 batch=3");
    const planning::Schedule schedule = gpu_schedule(problem, card());
    EXPECT_THROW(planning::check_against_definition(
                     problem, schedule,
                     [&](ProblemData& data) {
                         support::InterpretedPlan(problem, schedule).execute(data.arguments());
                         for (Integer at = 0; at < 64 * 3; ++at)
                             data.set(Side::output, at, 1.1 * data.get(Side::output, at));
                     }),
                 InternalError);
}

TEST(HalvesOnGpus, AreOneAccessOf4BytesPerComplexElement) {
    const auto compiler = emit::ptx_compiler();
    for (const char* precision : {"float16", "bfloat16"})
        for (const char* text : {"dft 8 batch=300", "dft 256 batch=64", "dft 65536", "dft 60 inplace batch=5",
                                 "rdft 64 batch=100", "dft 64 planar"})
            for (const char* gpu : {"sm_80", "sm_90"}) {
                const Transform problem = swirl::problem(std::string(text) + " " + precision);
                const planning::Schedule schedule = gpu_schedule(problem, target::gpu_named(gpu));
                for (const auto& pass : planning::describe_passes(problem, schedule))
                    for (const std::string& ptx : pass.ptx) {
                        if (compiler) {
                            EXPECT_EQ(emit::complaints(*compiler, ptx, gpu), "") << to_text(problem);
                        }
                        if (problem.kind != TransformKind::dft || problem.layout == ComplexLayout::planar)
                            continue;
                        EXPECT_EQ(ptx.find("ld.global.nc.b16"), std::string::npos) << ptx;
                        EXPECT_EQ(ptx.find("st.global.b16"), std::string::npos) << ptx;
                    }
            }
    if (!compiler)
        GTEST_SKIP() << "there is no ptxas here: not in PATH, $CUDA_HOME/bin, /usr/local/cuda*/bin";
}

TEST(HalvesOnGpus, UseMinimalGlobalMemory) {
    for (const auto& [text, bytes] : {std::pair("dft 256 float16 batch=64", 2 * 64 * 256 * 4),
                                      std::pair("dft 256 float32 batch=64", 2 * 64 * 256 * 8)}) {
        const Transform problem = swirl::problem(text);
        const auto passes =
            planning::describe_passes(problem, transform_schedule("sm_90: 0 stockham(16,16) on 64x4 pad 32"));
        const ir::KernelInfo& kernel = passes[0].kernels[0];
        EXPECT_GE(kernel.bytes_loaded + kernel.bytes_stored, bytes);
        EXPECT_EQ(kernel.bytes_stored, bytes / 2);
        EXPECT_GE(kernel.shared_bytes, 4 * 256 * 8) << "where numbers are those of float32";
    }
}

/// What the check before first use says of the plan that the estimate chooses, run in the interpreter.
std::string check_error(const Transform& problem) {
    const planning::Schedule schedule = gpu_schedule(problem, card());
    support::InterpretedPlan plan(problem, schedule);
    return error_of<InternalError>([&] {
        planning::check_against_definition(problem, schedule,
                                           [&](ProblemData& data) { plan.execute(data.arguments()); });
    });
}

TEST(HalvesOnGpus, PassTheirCheckInSymmetricKindsOfShortDimensions) {
    for (const char* kind : {"dct2", "dct3", "dct4", "dst2", "dst3", "dst4"})
        for (const char* lengths : {"1", "2", "1x1", "1x1x1x2x1", "3x1x1x1", "1x1x1x1x1x1x1x1", "2x2x2x2x2x2",
                                    "2x1x2x1x2x1x2x1", "1x20x1x1"})
            for (const char* precision : {"float16", "bfloat16", "float32"})
                for (const char* scale : {"", " scale=1e-5", " scale=1/64"}) {
                    const std::string text = std::string(kind) + " " + lengths + " " + precision + scale;
                    EXPECT_EQ(check_error(swirl::problem(text)), "") << text;
                }
}

TEST(HalvesOnGpus, AreAccurateInSymmetricKinds) {
    for (const char* text : {"dct2 1x1x1x2x1 float16", "dct3 2x2x2x2 float16", "dst4 1x2x1 float16"}) {
        const Transform problem = swirl::problem(text);
        const planning::Schedule schedule = gpu_schedule(problem, card());
        support::InterpretedPlan plan(problem, schedule);
        const std::string error = error_of<InternalError>([&] {
            planning::check_against_definition(problem, schedule, [&](ProblemData& data) {
                plan.execute(data.arguments());
                for_each_place(problem, Side::output, [&](Integer at) {
                    data.set(Side::output, at, 1.05 * data.get(Side::output, at));
                });
            });
        });
        EXPECT_NE(error.find("failed its check"), std::string::npos) << text << " " << error;
    }
}

} // namespace gpu_half_test
} // namespace swirl::search
