#include "cli/explain/formula.hpp"

#include "cli/generated_cpp.hpp"
#include "cli/gpu.hpp"
#include "formula/print.hpp"
#include "formula/rewrite.hpp"
#include "ir/print.hpp"
#include "plan/gpu_kernels.hpp"
#include "plan/transform_schedule.hpp"
#include "rules/given_formula.hpp"
#include "rules/rewriting_rules.hpp"
#include "runtime/cpu/executable_memory.hpp"

#include <fmt/format.h>

namespace swirl::cli {

namespace {

std::string section(const std::string& title, const std::string& text) {
    return fmt::format("# {}\n\n{}{}\n", title, text, text.ends_with("\n") ? "" : "\n");
}

/// The formula after each application of an identity.
std::string text_of_rewriting(const formula::Formula& given) {
    formula::RewriteTrace trace;
    const formula::Formula simple = rules::simplify(given, &trace);
    if (trace.empty()) return "no identity applies\n";
    return formula::to_text(trace) + "\nresult: " + formula::to_short_text(simple) + "\n";
}

/// The transforms of a pass and the trees that break them down.
std::string text_of_breakdown(const planning::DimensionPass& pass, const planning::PassSchedule& schedule) {
    if (!rules::is_given_formula(pass.nonterminal))
        return fmt::format("{}: {}\n", formula::to_short_text(pass.nonterminal),
                           rules::to_string(schedule.tree));
    const formula::Formula built = rules::rule_named(schedule.tree.rule).build(pass.nonterminal, {});
    std::string text;
    std::size_t child = 0;
    for (const formula::Formula& transform : rules::nonterminals(built)) {
        const bool has_tree = child < schedule.tree.children.size();
        text += fmt::format("{}: {}\n", formula::to_short_text(transform),
                            has_tree ? rules::to_string(schedule.tree.children[child]) : "codelet");
        ++child;
    }
    return text.empty() ? "no transform is left\n" : text;
}

std::string text_of_passes_on_cpu(const Transform& problem, const PlanningOptions& options) {
    const auto plan = make_plan(problem, options, api::Purpose::inspect);
    const auto passes = planning::dimension_passes(problem);
    const auto descriptions = plan->describe();
    const bool has_machine_code =
        plan->cpu().set != target::InstructionSet::portable && !plan->cpu().emitted_only;
    std::string text = section("schedule", planning::to_string(plan->schedule()));
    for (std::size_t k = 0; k < descriptions.size(); ++k) {
        const planning::PassDescription& pass = descriptions[k];
        text +=
            section("transforms, and how they are broken down", text_of_breakdown(passes[k], pass.schedule));
        text += section("expanded formula", formula::to_short_text(pass.formula));
        text += section("loops", loops::to_text(pass.loops));
        text += section("ir", ir::to_string(pass.lowered, ir::PrintStyle::compact));
        text += has_machine_code ? section("machine code", plan->listing(k))
                                 : section("C++", kernel_as_cpp(*plan, pass));
    }
    return text;
}

std::string text_of_passes_on_gpu(const Transform& problem, const PlanningOptions& options) {
    const GpuInspection plan = inspect_gpu_plan(problem, options);
    const auto passes = planning::gpu_passes(problem, plan.schedule);
    std::string text = section("schedule", planning::to_string(plan.schedule));
    for (std::size_t k = 0; k < plan.passes.size(); ++k) {
        const planning::GpuPassDescription& pass = plan.passes[k];
        text += section("transforms, and how they are broken down",
                        text_of_breakdown(passes[k], plan.schedule.passes[k]));
        text += section("expanded formula", formula::to_short_text(pass.formula));
        for (const ir::Program& program : pass.lowered)
            text += section("ir", ir::to_string(program, ir::PrintStyle::compact));
        for (const std::string& ptx : pass.ptx) text += section("PTX", ptx);
    }
    return text;
}

} // namespace

std::string text_of_derivation(const Transform& problem, const PlanningOptions& options) {
    const formula::Formula& given = problem.matrix.term();
    std::string text = section("problem", to_text(problem));
    text += section("rewriting", text_of_rewriting(given));
    text += options.is_for_gpu() ? text_of_passes_on_gpu(problem, options)
                                 : text_of_passes_on_cpu(problem, options);
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

} // namespace swirl::cli
