#include "plan/steps.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace swirl::planning {

using namespace formula;

namespace {

/// One axis of the data as the stage at hand reads and writes it.
struct StageAxis {
    Integer length;
    Integer in;
    Integer out;
};

/// Outer loops before inner ones, as memory lies; neighbours that step as one loop would become one.
std::vector<StageAxis> merged(std::vector<StageAxis> loops) {
    std::erase_if(loops, [](const StageAxis& a) { return a.length == 1; });
    std::stable_sort(loops.begin(), loops.end(),
                     [](const StageAxis& a, const StageAxis& b) { return std::abs(a.in) > std::abs(b.in); });
    std::vector<StageAxis> result;
    for (const StageAxis& axis : loops) {
        if (!result.empty() && result.back().in == axis.in * axis.length &&
            result.back().out == axis.out * axis.length)
            result.back() = {result.back().length * axis.length, axis.in, axis.out};
        else
            result.push_back(axis);
    }
    return result;
}

Formula transform_of(const Problem& problem, Integer n) {
    if (n == 1 && problem.kind == TransformKind::dft) return I(1);
    switch (problem.kind) {
    case TransformKind::dft: return DFT(n, problem.direction);
    case TransformKind::real_dft: return RDFT(n, problem.direction);
    case TransformKind::wht: return n == 1 ? I(1) : WHT(n);
    case TransformKind::dct2: return DCT(2, n);
    case TransformKind::dct3: return DCT(3, n);
    case TransformKind::dct4: return DCT(4, n);
    case TransformKind::dst2: return DST(2, n);
    case TransformKind::dst3: return DST(3, n);
    case TransformKind::dst4: return DST(4, n);
    }
    throw InternalError("unknown kind of transform");
}

/// Splits the other axes into loops outside and inside the transform and lays out both sides.
Stage make_stage(std::size_t dimension, Formula nonterminal, bool complex, const StageAxis& axis,
                 const std::vector<StageAxis>& others, bool in_place) {
    std::vector<StageAxis> outside, inside;
    for (const StageAxis& other : others)
        (std::abs(other.in) >= std::abs(axis.in) && axis.length > 1 ? outside : inside).push_back(other);
    outside = merged(std::move(outside));
    inside = merged(std::move(inside));
    Stage stage{dimension, std::move(nonterminal),
                complex,   in_place ? Placement::in_place : Placement::out_of_place,
                {{}, {}},  {},
                {},        1};
    const auto append = [&](const StageAxis& a) {
        for (std::size_t side : {0u, 1u}) stage.layouts[side].lengths.push_back(a.length);
        stage.layouts[0].strides.push_back(a.in);
        stage.layouts[1].strides.push_back(a.out);
    };
    for (const StageAxis& a : outside) append(a), stage.left.push_back(a.length);
    append(axis);
    for (const StageAxis& a : inside) append(a), stage.right.push_back(a.length);
    return stage;
}

std::vector<StageAxis> other_axes(const Problem& problem, std::size_t dimension, bool from_output) {
    std::vector<StageAxis> axes;
    const auto add = [&](const Dimension& d, Integer length) {
        axes.push_back({length, from_output ? d.output_stride : d.input_stride, d.output_stride});
    };
    for (const Dimension& batch : problem.batches) add(batch, batch.length);
    for (std::size_t k = 0; k < problem.dimensions.size(); ++k)
        if (k != dimension) add(problem.dimensions[k], problem.dimensions[k].length);
    return axes;
}

} // namespace

std::vector<Stage> stages(const Problem& problem) {
    if (problem.kind == TransformKind::real_dft)
        throw UserError("{} transforms cannot be planned yet; a complex dft of the same size can", "rdft");
    const bool complex = problem.kind == TransformKind::dft;
    std::vector<Stage> result;
    bool in_place = problem.placement == Placement::in_place;
    for (std::size_t k = problem.dimensions.size(); k-- > 0;) {
        const Dimension& d = problem.dimensions[k];
        const bool last_chance = k == 0 && result.empty();
        Formula transform = transform_of(problem, d.length);
        if (transform.is<Identity>() && !last_chance) continue;
        const bool from_output = !result.empty();
        const StageAxis axis{d.length, from_output ? d.output_stride : d.input_stride, d.output_stride};
        result.push_back(make_stage(k, std::move(transform), complex, axis,
                                    other_axes(problem, k, from_output), in_place || from_output));
    }
    result.back().scale = problem.scale;
    return result;
}

Formula stage_formula(const Stage& stage, const rules::BreakdownTree& tree) {
    std::vector<Formula> factors;
    for (Integer n : stage.left) factors.push_back(I(n));
    factors.push_back(stage.nonterminal.is<Identity>() ? stage.nonterminal
                                                       : rules::expand(stage.nonterminal, tree));
    for (Integer n : stage.right) factors.push_back(I(n));
    return factors.size() == 1 ? factors[0] : kron(std::move(factors));
}

lower::KernelRequest kernel_request(const Problem& problem, const Stage& stage,
                                    const rules::BreakdownTree& tree, const target::Cpu& cpu) {
    const ir::Scalar scalar =
        problem.precision == Precision::float32 ? ir::Scalar::float32 : ir::Scalar::float64;
    lower::KernelRequest request{.name = fmt::format("swirl_step_{}", stage.dimension),
                                 .formula = stage_formula(stage, tree),
                                 .complex = stage.complex,
                                 .scalar = scalar,
                                 .input = stage.layouts[0],
                                 .output = stage.layouts[1],
                                 .in_place = stage.placement == Placement::in_place,
                                 .scale = stage.scale,
                                 .lanes = cpu.vector_bytes ? target::lanes(cpu, scalar) : 1};
    request.multiplication = cpu.has_fma ? lower::Multiplication::fused : lower::Multiplication::plain;
    return request;
}

} // namespace swirl::planning
