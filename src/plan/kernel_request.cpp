#include "plan/steps.hpp"

#include "base/error.hpp"
#include "plan/half_spectrum.hpp"
#include "rules/merge_convolution.hpp"

namespace swirl::planning {

using namespace formula;

Formula stage_formula(const Stage& stage, const rules::BreakdownTree& tree) {
    std::vector<Formula> factors;
    for (Integer n : stage.left) factors.push_back(I(n));
    Formula transform =
        stage.nonterminal.is<Identity>() ? stage.nonterminal : rules::expand(stage.nonterminal, tree);
    if (stage.nonterminal.is<Circulant>()) transform = rules::with_product_between_columns(transform);
    if (stage.before) transform = product({transform, *stage.before});
    if (stage.after) transform = product({*stage.after, transform});
    factors.push_back(std::move(transform));
    for (Integer n : stage.right) factors.push_back(I(n));
    return factors.size() == 1 ? factors[0] : kron(std::move(factors));
}

ir::Scalar arithmetic_of(Precision precision) {
    return precision == Precision::float64 ? ir::Scalar::float64 : ir::Scalar::float32;
}

ir::Scalar storage_of(Precision precision) {
    switch (precision) {
    case Precision::float16: return ir::Scalar::float16;
    case Precision::bfloat16: return ir::Scalar::bfloat16;
    case Precision::float32:
    case Precision::float64: return arithmetic_of(precision);
    }
    throw InternalError("unknown precision");
}

lower::KernelRequest kernel_request(const Problem& problem, const Stage& stage,
                                    const rules::BreakdownTree& tree) {
    const std::optional<Stage> numbers = by_numbers(stage);
    return {.name = fmt::format("swirl_step_{}", stage.dimension),
            .formula = stage_formula(stage, tree),
            .by_numbers = numbers ? std::optional(stage_formula(*numbers, tree)) : std::nullopt,
            .complex = stage.complex,
            .scalar = arithmetic_of(problem.precision),
            .input = stage.layouts[0],
            .output = stage.layouts[1],
            .in_place = stage.source == stage.target,
            .input_parts_apart = is_planar(problem, stage.source),
            .output_parts_apart = is_planar(problem, stage.target),
            .arrays = stage.arrays,
            .beside = stage.beside,
            .load = stage.load,
            .store = stage.store,
            .input_reach = stage.reaches[0],
            .output_reach = stage.reaches[1],
            .scale = stage.scale};
}

lower::KernelRequest kernel_request(const Problem& problem, const Stage& stage,
                                    const rules::BreakdownTree& tree, const target::Cpu& cpu,
                                    bool scalar_code) {
    lower::KernelRequest request = kernel_request(problem, stage, tree);
    request.lanes = scalar_code ? 1 : target::lanes(cpu, request.scalar);
    request.cache_bytes = cpu.cache_bytes;
    request.pairs = cpu.has_fma && problem.layout == ComplexLayout::interleaved;
    request.multiplication = cpu.has_fma ? lower::Multiplication::fused : lower::Multiplication::plain;
    return request;
}

} // namespace swirl::planning
