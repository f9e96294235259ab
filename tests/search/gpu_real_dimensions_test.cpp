// Real transforms of several dimensions in one kernel of a GPU, in the interpreter.

#include "emit/ptx_compiler.hpp"
#include "ir/interpreter.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/error_of.hpp"
#include "support/kernel_counts.hpp"
#include "support/proved_schedule.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace swirl::search {
namespace gpu_real_dimensions_test {

using support::counts_of;
using support::prove;

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

/// One of the best candidates for each pass with the innermost `count` dimensions in one kernel; nothing if none exists.
std::optional<planning::Schedule> fused_schedule(const Transform& problem, std::size_t count,
                                                 std::mt19937& random) {
    constexpr std::size_t candidates = 16;
    const auto first = planning::first_fused_of(problem, count);
    if (!first) return std::nullopt;
    planning::Schedule schedule{gpu().name, planning::TransformSchedule{}};
    for (const planning::DimensionPass& pass : planning::dimension_passes(problem, *first)) {
        const auto found = gpu_candidates(problem, pass, gpu(), candidates);
        if (found.empty()) return std::nullopt;
        schedule.transform().passes.push_back(found[random() % found.size()].pass);
    }
    return schedule;
}

Integer kernels_of(const Transform& problem, const planning::Schedule& schedule) {
    Integer kernels = 0;
    for (const auto& pass : planning::describe_passes(problem, schedule))
        kernels += std::ssize(pass.programs);
    return kernels;
}

/// Strides in any order of the axes, with gaps.
template <class Random> void draw_strides(Transform& problem, Side side, Random& random) {
    std::vector<Dimension*> all;
    for (auto* const axes : {&problem.batches, &problem.dimensions})
        for (Dimension& each : *axes) all.push_back(&each);
    std::shuffle(all.begin(), all.end(), random);
    Integer stride = 1 + static_cast<Integer>(random() % 2);
    for (Dimension* each : all) {
        (side == Side::input ? each->input_stride : each->output_stride) = stride;
        stride = stride * each->length + static_cast<Integer>(random() % 3);
    }
}

template <class T, class Random> const T& one_of(const std::vector<T>& values, Random& random) {
    return values[random() % values.size()];
}

Transform draw(std::mt19937& random) {
    using enum TransformKind;
    const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
    const std::size_t rank = chance(60) ? 2 : 3;
    std::vector<Integer> lengths;
    for (std::size_t k = 0; k < rank; ++k)
        lengths.push_back(
            chance(10)
                ? 1 + static_cast<Integer>(random() % 45)
                : one_of<Integer>({2, 3, 4, 6, 7, 8, 10, 12, 15, 16, 18, 20, 24, 28, 32, 37, 40}, random));
    while (std::accumulate(lengths.begin(), lengths.end(), Integer{1}, std::multiplies<>()) > 1500)
        for (Integer& n : lengths) n = std::max<Integer>(1, n / 2);
    TransformOptions options;
    options.precision = one_of<DataType>(
        {DataType::float32, DataType::float32, DataType::float64, DataType::float16, DataType::bfloat16},
        random);
    if (chance(60)) options.batches = {{.count = 1 + static_cast<Integer>(random() % 6)}};
    if (chance(20)) options.batches.push_back({.count = 2});
    if (chance(40)) options.scale = 0.25;
    if (chance(25)) options.placement = Placement::in_place;
    const auto expression = [&](bool complex, Side side) {
        std::vector<std::string> texts{"0.5 * x", side == Side::input ? "x * w[i0]" : "x * y[i0]", "x - i0",
                                       "i1 > 2 ? x : -x",
                                       side == Side::input ? "x * v[i0, i1]" : "x * z[i0, i1]"};
        if (complex)
            texts.insert(texts.end(),
                         {"conj(x)", side == Side::input ? "x * complex u[i1]" : "x * complex t[i1]",
                          "complex(im(x), re(x))"});
        if (side == Side::input && lengths[1] > 1)
            texts.emplace_back("x where i1 >= 1"); // results of several dimensions cannot be left out
        return Expression(one_of(texts, random));
    };
    const std::vector<TransformKind> kinds{dct1, dct2, dct3, dct4, dct5, dct6, dct7, dct8, dst1, dst2,
                                           dst3, dst4, dst5, dst6, dst7, dst8, dht,  r2hc, hc2r};
    Transform problem;
    const bool has_callbacks = chance(30);
    if (chance(60)) {
        options.direction = chance(50) ? Direction::forward : Direction::backward;
        if (chance(20) && options.placement == Placement::out_of_place)
            options.layout = ComplexLayout::planar;
        problem = Transform::real_dft(lengths, options);
    } else {
        std::vector<TransformKind> own;
        for (std::size_t k = 0; k < rank; ++k)
            own.push_back(k > 0 && chance(50) ? own[0] : one_of(kinds, random));
        for (std::size_t k = 0; k < rank; ++k)
            if (own[k] == dct1) lengths[k] = std::max<Integer>(2, lengths[k]);
        problem = Transform::mixed(own, lengths, options);
    }
    if (has_callbacks && chance(60)) problem.load = expression(is_complex(problem, Side::input), Side::input);
    if (has_callbacks && chance(60))
        problem.store = expression(is_complex(problem, Side::output), Side::output);
    if (problem.placement == Placement::out_of_place && chance(40))
        for (const Side side : {Side::input, Side::output}) {
            Transform stored = problem;
            for (std::size_t k = 0; k < rank; ++k)
                stored.dimensions[k].length = stored_length(problem, k, side);
            draw_strides(stored, side, random);
            for (std::size_t k = 0; k < rank; ++k) {
                stored.dimensions[k].length = problem.dimensions[k].length;
            }
            problem = stored;
        }
    return problem;
}

TEST(RealDimensionsOnGpus, OneKernelEqualsTheDefinition) {
    constexpr unsigned seed = 20261127;
    constexpr int wanted = 200;
    std::mt19937 random(seed);
    int proved = 0, volumes = 0;
    while (proved < wanted) {
        const Transform problem = draw(random);
        const std::size_t count = 2 + random() % 2;
        const auto schedule = fused_schedule(problem, count, random);
        if (!schedule) continue;
        prove(to_text(problem), *schedule);
        if (count == 3) ++volumes;
        ++proved;
    }
    EXPECT_GT(volumes, 5);
}

/// Rader's index tables do not say which elements of a half spectrum a call has.
TEST(RealDimensionsOnGpus, HaveColumnsOfLargePrimesBesideCallbacks) {
    std::mt19937 random(3);
    for (const char* text : {"rdft 37x8 float32 planar batch=3 store=\"x * complex u[i1]\"",
                             "rdft 37x8 backward float32 load=\"x * u[i0]\"", "rdft 37x8 float32"}) {
        const bool has_callback = std::string(text).find('"') != std::string::npos;
        for (int draw = 0; draw < 4; ++draw) {
            const auto schedule = fused_schedule(problem(text), 2, random);
            ASSERT_TRUE(schedule) << text;
            if (has_callback) {
                EXPECT_EQ(to_string(*schedule).find("rader"), std::string::npos) << text;
            }
            prove(text, *schedule);
        }
    }
}

std::string rule_of(const planning::Schedule& schedule, std::size_t pass = 0) {
    return schedule.transform().passes.at(pass).tree.rule;
}

TEST(RealDimensionsOnGpus, AreOneKernelWhereABlockHoldsThem) {
    for (const char* target : {"sm_90", "sm_80"})
        for (const char* text :
             {"rdft 24x28 float32 batch=1000", "rdft 24x28 backward float32 batch=1000",
              "rdft 32x32 batch=1000", "rdft 64x64 float32 batch=1000", "rdft 16x16x16 float16 batch=500",
              "dct2 16x16x16 float32 batch=100", "dct2,dst3 24x28 float32 batch=1000",
              "rdft 24x28 float32 planar batch=1000"}) {
            const planning::Schedule schedule = gpu_schedule(problem(text), target::gpu_named(target));
            ASSERT_EQ(schedule.transform().passes.size(), 1U) << text;
            EXPECT_EQ(rule_of(schedule), "real-row-column") << text;
            EXPECT_EQ(kernels_of(problem(text), schedule), 1) << text;
        }
}

TEST(RealDimensionsOnGpus, LeaveOutTheOutermostOneOfAVolumeBeyondABlock) {
    for (const bool forward : {true, false}) {
        const Transform volumes =
            problem(forward ? "rdft 200x16x16 float32 batch=40" : "rdft 200x16x16 backward float32 batch=40");
        const planning::Schedule schedule = gpu_schedule(volumes, gpu());
        ASSERT_EQ(schedule.transform().passes.size(), 2U);
        EXPECT_EQ(schedule.transform().passes[forward ? 0 : 1].dimension, 1U);
        EXPECT_EQ(rule_of(schedule, forward ? 0 : 1), "real-row-column");
    }
    for (const char* text : {"rdft 1024x1024 float32 batch=4", "dct2 1024x1024 batch=4"}) {
        EXPECT_EQ(gpu_schedule(problem(text), gpu()).transform().passes.size(), 2U) << text;
    }
}

TEST(RealDimensionsOnGpus, NeedNoHalfSpectrumBetweenThem) {
    const Transform images = problem("rdft 24x28 backward float32 batch=1000");
    const auto workspace_of = [&](const planning::Schedule& schedule) {
        std::size_t bytes = 0;
        for (const auto& pass : planning::describe_passes(images, schedule))
            bytes = std::max(bytes, pass.workspace_bytes);
        return bytes;
    };
    EXPECT_EQ(workspace_of(gpu_schedule(images, gpu())), 0U);
    EXPECT_GT(workspace_of(transform_schedule("sm_90: 0 stockham(6,4) on 90x15; 1 codelet on 64x64")), 0U);
}

TEST(RealDimensionsOnGpus, LeaveOtherPlansAsTheyAre) {
    for (const char* text : {"rdft 24x1 float32 batch=100", "rdft 1x28 float32 batch=100",
                             "rdft 28 float32 batch=100", "dct2 28 float32", "convolution 8x12 float32"})
        for (const std::size_t count : {2, 3})
            EXPECT_FALSE(planning::first_fused_of(problem(text), count)) << text;
    EXPECT_EQ(planning::first_fused_of(problem("rdft 3x4x1x5"), 2), 1U);
    EXPECT_EQ(planning::first_fused_of(problem("rdft 3x4x1x5"), 3), 0U);
    EXPECT_EQ(planning::dimension_passes(problem("rdft 24x28 float32")).size(), 2U) << "on CPUs";
}

TEST(RealDimensionsOnGpus, RefuseSchedulesThatDoNotFit) {
    struct Case {
        const char* problem;
        const char* schedule;
        const char* says;
    };
    const Case cases[] = {
        {"rdft 12x10", "0 real-row-column(0,1) on 32x1", "the last one first"},
        {"rdft 12x10 backward", "0 real-row-column(1,0) on 32x1", "the last one last"},
        {"rdft 12x10", "0 row-column(1,0) on 32x1", "does not apply"},
        {"rdft 12x10", "1 real-row-column(1,0) on 32x1", "needs dimension 0"},
        {"rdft 12x1", "0 stockham(4,3) on 32x1", "1 passes; this problem needs 2"},
        {"dft 12x10", "0 real-row-column(1,0) on 32x1", "does not apply"},
        {"dct2 12x10", "0 row-column(1,0) on 32x1", "does not apply"},
    };
    for (const Case& c : cases) {
        const std::string error = error_of([&] {
            planning::describe_passes(problem(c.problem),
                                      transform_schedule(std::string("sm_90: ") + c.schedule));
        });
        EXPECT_NE(error.find(c.says), std::string::npos) << c.problem << ": " << c.schedule << "\n" << error;
    }
}

/// By the schedule of a batch that fills the GPU.
TEST(RealDimensionsOnGpus, ReadAndWriteMemoryOnce) {
    for (const std::string text : {"rdft 64x64 float32 batch=", "rdft 64x64 backward float32 batch="}) {
        const std::string of_many = to_string(gpu_schedule(problem(text + "5000"), gpu()));
        const support::KernelCounts counts = counts_of(text + "4", of_many);
        constexpr Integer sector_bytes = 32;
        const Integer least = 4 * (64 * 64 + 2 * 64 * 33) * Integer{sizeof(float)};
        const Integer moved = sector_bytes * (counts.read + counts.written);
        EXPECT_GE(moved, least) << text << of_many;
        EXPECT_LE(moved, least * 5 / 4) << text << of_many;
    }
}

TEST(RealDimensionsOnGpus, PadVectorsAgainstBankConflicts) {
    for (const char* trees :
         {"stockham(8,8), rdft-half-size[stockham(8,4)]", "stockham(8,8), rdft-stockham(8,8)"}) {
        const std::string schedule = fmt::format("sm_90: 0 real-row-column(1,0)[{}] on 264x1", trees);
        const support::KernelCounts plain = counts_of("rdft 64x64 float32 batch=2", schedule),
                                    padded = counts_of("rdft 64x64 float32 batch=2", schedule + " pad 32");
        EXPECT_GT(plain.lost, plain.shared) << trees;
        EXPECT_LT(padded.lost, padded.shared / 3) << trees;
        EXPECT_LT(4 * padded.lost, plain.lost) << trees;
    }
    // 16 complex columns a row: their distance becomes odd too.
    const std::string wide = "sm_90: 0 real-row-column(1,0)[stockham(6,5)] on 96x1";
    EXPECT_LT(2 * counts_of("rdft 30x30 float32 batch=2", wide + " pad 32").lost,
              counts_of("rdft 30x30 float32 batch=2", wide).lost);
}

TEST(RealDimensionsOnGpus, ComputeByManyMappings) {
    struct Case {
        const char* problem;
        const char* schedule;
    };
    const Case cases[] = {
        {"rdft 12x10 float32 batch=5", "0 real-row-column(1,0)[stockham(4,3)] on 32x4 pad 32 pitch 1 staged"},
        {"rdft 12x10 backward batch=5",
         "0 real-row-column(0,1)[codelet, stockham(4,3)] on 64x2 single_buffer staged in"},
        {"rdft 8x64 inplace float32 batch=5",
         "0 real-row-column(1,0)[codelet, rdft-half-size[stockham(8,4)]] on 64x2 pad 32"},
        {"rdft 6x4x10 batch=3", "0 real-row-column(2,0,1) on 64x2 pitch 1"},
        {"rdft 6x4x10 backward float32 inplace batch=3",
         "0 real-row-column(1,0,2) on 64x2 pad 32 single_buffer"},
        {"rdft 5x4x10 backward float32 batch=3",
         "0 codelet on 32x8; 1 real-row-column(0,1) on 32x4 pad 32 staged"},
        {"rdft 5x4x10 float32 batch=3", "1 real-row-column(1,0) on 32x4 pad 32 staged; 0 codelet on 32x8"},
        {"rdft 9x9 float32 in=(144,16) out=(80,16) batch=16:1",
         "0 real-row-column(1,0)[stockham(3,3)] on 64x4 staged"},
        {"dct2,dst4,dht 6x4x10 float32 batch=3", "0 real-row-column(2,1,0) on 64x2 pad 32 staged"},
        {"dct2 32x32 float16 batch=3",
         "0 real-row-column(0,1)[dct2-rdft[rdft-half-size[stockham(4,4)]]] on 128x1 pad 32"},
        {"wht 64x32 float32 batch=2",
         "0 real-row-column(1,0)[wht-split(8,8), wht-split(8,4)] on 128x1 pad 32 single_buffer"},
    };
    for (const Case& c : cases) prove(c.problem, transform_schedule(std::string("sm_90: ") + c.schedule));
}

TEST(RealDimensionsOnGpus, AreModulesThatNvidiasAssemblerTakes) {
    const auto compiler = emit::ptx_compiler();
    if (!compiler) GTEST_SKIP() << "no ptxas";
    for (const char* text : {"rdft 24x28 float32 batch=1000", "rdft 32x32 backward float16 batch=100",
                             "dct2,dst3 12x20 batch=100", "rdft 8x8x10 float32 inplace batch=100"})
        for (const char* target : {"sm_80", "sm_90"})
            for (const planning::GpuPassDescription& pass : planning::describe_passes(
                     problem(text), gpu_schedule(problem(text), target::gpu_named(target))))
                for (const std::string& module : pass.ptx)
                    EXPECT_EQ(emit::complaints(*compiler, module, target), "") << text;
}

} // namespace gpu_real_dimensions_test
} // namespace swirl::search
