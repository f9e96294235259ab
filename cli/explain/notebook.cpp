#include "cli/explain/notebook.hpp"

#include "cli/costs.hpp"
#include "cli/explain/derivation.hpp"
#include "cli/gpu.hpp"
#include "cli/gpu_products.hpp"
#include "cli/products.hpp"
#include "formula/print.hpp"
#include "formula/rewrite_trace.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "problem/data_type.hpp"
#include "problem/syntax.hpp"
#include "rules/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace swirl::cli {
namespace {

/// Longer formulas are shown as text, in short.
constexpr std::size_t longest_latex = 2000;

std::string in_code(std::string text) {
    std::replace(text.begin(), text.end(), '`', '\'');
    return "`" + text + "`";
}

/// One equation for each breakdown, by the name of its rule.
std::string equations_of(const formula::Formula& nonterminal, const rules::BreakdownTree& tree) {
    formula::RewriteTrace trace;
    rules::expand(nonterminal, tree, &trace);
    if (trace.empty()) return "$$" + formula::to_latex(nonterminal) + "$$\n\n";
    std::string text;
    for (const formula::RewriteStep& step : trace) {
        const std::string before = formula::to_latex(step.before), after = formula::to_latex(step.after);
        if (before.size() + after.size() > longest_latex)
            text +=
                in_code(formula::to_short_text(step.before) + " → " + formula::to_short_text(step.after)) +
                " by " + in_code(step.rule) + "\n\n";
        else
            text += fmt::format("$${} = {}$$\n\nby {}\n\n", before, after, in_code(step.rule));
    }
    return text;
}

std::string derivation_in_latex(const std::vector<planning::DimensionPass>& passes,
                                const planning::Schedule& schedule) {
    std::string text;
    for (std::size_t k = 0; k < passes.size(); ++k) {
        if (passes[k].nonterminal.is<formula::Identity>()) continue;
        if (passes.size() > 1) text += fmt::format("Pass {} of {}:\n\n", k + 1, passes.size());
        text += equations_of(passes[k].nonterminal, schedule.transform().passes[k].tree);
    }
    return text;
}

std::string page(const std::string& problem, const std::string& mathematics, const std::string& schedule,
                 const PlanCosts& costs) {
    return fmt::format(
        "**{}**\n\n{}| | |\n|---|---|\n| schedule | {} |\n| floors | {} |\n| predicted | {} |\n",
        in_code(problem), mathematics, in_code(schedule), text_of_floors(costs), text_of_estimate(costs));
}

double flops_of(const GpuInspection& plan) {
    double flops = 0;
    for (const planning::GpuPassDescription& pass : plan.passes)
        for (const ir::KernelInfo& kernel : pass.kernels) flops += static_cast<double>(kernel.flops);
    return flops;
}

/// "A \in \mathbb{R}^{100 \times 60}"
std::string membership(const char* name, DataType type, Integer rows, Integer columns) {
    const char* const set = is_complex(type) ? "C"
                            : type == DataType::int8 || type == DataType::uint8 || type == DataType::int32
                                ? "Z"
                                : "R";
    return fmt::format("{} \\in \\mathbb{{{}}}^{{{} \\times {}}}", name, set, rows, columns);
}

std::string in_latex(const MatrixProduct& product) {
    std::string text = "$$C \\leftarrow ";
    const std::string of = product.epilogue.is_identity() ? "" : "f";
    if (!of.empty()) text += of + "\\left(";
    text += "\\alpha\\,A\\,B + \\beta\\,C";
    if (!of.empty()) text += "\\right)";
    text += ", \\quad " + membership("A", product.type_of_a(), product.rows, product.k) + ",\\; " +
            membership("B", product.type_of_b(), product.k, product.columns);
    if (product.batch != 1) text += fmt::format(" \\quad (\\text{{{} times}})", product.batch);
    return text + "$$\n\n";
}

} // namespace

std::string markdown_of(const Transform& problem, const PlanningOptions& options) {
    if (options.is_for_gpu()) {
        const GpuInspection plan = inspect_gpu_plan(problem, options);
        const target::Gpu gpu = gpu_target_of(options).identity.gpu;
        return page(to_text(problem),
                    derivation_in_latex(planning::gpu_passes(problem, plan.schedule), plan.schedule),
                    planning::to_string(plan.schedule),
                    costs_on_gpu(problem, plan.schedule, flops_of(plan), gpu));
    }
    const auto plan = make_plan(problem, options, search::Purpose::inspect);
    return page(to_text(problem), derivation_in_latex(planning::dimension_passes(problem), plan->schedule()),
                planning::to_string(plan->schedule()), costs_on_cpu(*plan, !options.no_wisdom));
}

std::string markdown_of(const MatrixProduct& product, const PlanningOptions& options) {
    if (!options.is_for_gpu()) {
        const auto plan = make_matrix_plan(product, options);
        return page(to_text(product), in_latex(product), planning::to_string(plan->schedule()),
                    costs_of(*plan, options));
    }
    const GpuGemmInspection plan = inspect_gemm_on_gpu(product, options);
    return page(to_text(product), in_latex(product),
                planning::to_string(planning::Schedule(plan.gpu.name, plan.schedule)),
                costs_of(product, plan));
}

} // namespace swirl::cli
