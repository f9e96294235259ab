#include "plan/transform/dimension_passes.hpp"

#include "base/error.hpp"
#include "lower/cpu/pair_pointwise.hpp"
#include "plan/stored_types.hpp"
#include "plan/transform/cpu/half_spectrum.hpp"
#include "problem/syntax.hpp"
#include "rules/given_formula.hpp"
#include "rules/merge_convolution.hpp"

#include <utility>

namespace swirl::planning {

using namespace formula;

Formula pass_formula(const DimensionPass& pass, const rules::BreakdownTree& tree) {
    std::vector<Formula> factors;
    for (Integer n : pass.left) factors.push_back(I(n));
    if (tree.rule.empty() && rules::is_given_formula(pass.nonterminal))
        throw UserError(
            "the schedule computes the given formula as one codelet\n"
            "  use a tree that begins with 'formula' or 'formula-codelet'");
    if (tree.rule.empty() && pass.nonterminal.is<Circulant>())
        throw UserError(
            "the schedule computes the convolution as one codelet, which does not multiply by the spectrum\n"
            "  use a tree that begins with '{}'",
            pass.nonterminal.get_if<Circulant>()->of_reals ? "circulant-rdft" : "circulant-dft");
    Formula transform =
        pass.nonterminal.is<Identity>() ? pass.nonterminal : rules::expand(pass.nonterminal, tree);
    const auto* circulant = pass.nonterminal.get_if<Circulant>();
    if (circulant && !circulant->of_reals) transform = rules::with_product_between_columns(transform);
    if (pass.before) transform = product({transform, *pass.before});
    if (pass.after) transform = product({*pass.after, transform});
    factors.push_back(std::move(transform));
    for (Integer n : pass.right) factors.push_back(I(n));
    return factors.size() == 1 ? factors[0] : kron(std::move(factors));
}

DataType arithmetic_of(DataType precision) {
    return precision == DataType::float64 ? DataType::float64 : DataType::float32;
}

std::string kernel_name(const Transform& problem, const DimensionPass& pass) {
    return fmt::format("{}_pass_{}", name_of(problem.kind), pass.position + 1);
}

lower::KernelRequest kernel_request(const Transform& problem, const ExpandedPass& expanded) {
    const DimensionPass& pass = expanded.pass;
    const std::optional<DimensionPass> paired = by_complex_entries(pass);
    const bool converts = stored_type(problem, pass.target) != arithmetic_of(problem.precision);
    return {.name = kernel_name(problem, pass),
            .loops = {.formula = expanded.formula,
                      .complex = pass.complex,
                      .scalar = arithmetic_of(problem.precision),
                      .input = pass.layouts[0],
                      .output = pass.layouts[1],
                      .input_base = pass.bases[0],
                      .output_base = pass.bases[1],
                      .in_place = pass.source == pass.target,
                      .input_split_complex = is_planar(problem, pass.source),
                      .output_split_complex =
                          is_planar(problem, pass.target) || stores_reals_at(problem, pass.target),
                      .output_converted = converts,
                      .auxiliary = pass.auxiliary,
                      .input_reach = pass.reaches[0],
                      .output_reach = pass.reaches[1],
                      .load = pass.load,
                      .store = pass.store,
                      .by_complex_entries =
                          paired ? std::optional(pass_formula(*paired, expanded.tree)) : std::nullopt,
                      .scale = pass.scale},
            .arrays = pass.arrays};
}

namespace {

bool is_read_by_later_pass(const Transform& problem, const DimensionPass& pass) {
    for (const DimensionPass& later : dimension_passes(problem))
        if (later.position > pass.position && later.source == pass.target) return true;
    return false;
}

} // namespace

lower::KernelRequest kernel_request(const Transform& problem, const ExpandedPass& expanded,
                                    const target::Cpu& cpu, const CodeOptions& code) {
    const DimensionPass& pass = expanded.pass;
    lower::KernelRequest request = kernel_request(problem, expanded);
    request.loops.lanes = code.scalar ? 1 : target::lanes(cpu, request.loops.scalar);
    request.loops.cache_bytes = cpu.cache_bytes;
    request.loops.streaming_bytes = cpu.streaming_bytes;
    request.loops.rereads_output = is_read_by_later_pass(problem, pass);
    request.loops.pairs =
        cpu.has_fma && problem.layout == ComplexLayout::interleaved && !stores_reals(problem);
    // Iterations that threads share must not repeat others. Without fused operations there are few registers, and loads
    // from unaligned addresses cost instructions.
    request.loops.overlap_vectors = cpu.has_fma && !code.shared;
    request.loops.pairs_at_callbacks = (!pass.load || lower::has_form_in_pairs(*pass.load)) &&
                                       (!pass.store || lower::has_form_in_pairs(*pass.store));
    request.multiplication = cpu.has_fma ? lower::Multiplication::fused : lower::Multiplication::plain;
    return request;
}

} // namespace swirl::planning
