// Real transforms of several dimensions in one kernel of a GPU, in the interpreter.

#include "emit/ptx_compiler.hpp"
#include "ir/interpreter.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/error_of.hpp"
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
        if (side == Side::input)
            texts.emplace_back("x where i1 >= 1"); // results of several dimensions cannot be left out
        return Expression(one_of(texts, random));
    };
    const std::vector<TransformKind> kinds{dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4, dht, r2hc, hc2r};
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

} // namespace gpu_real_dimensions_test
} // namespace swirl::search
