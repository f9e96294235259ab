#include "cli/explain/transform.hpp"

#include "cli/generated_cpp.hpp"
#include "cli/gpu.hpp"
#include "cli/table.hpp"
#include "formula/print.hpp"
#include "ir/count.hpp"
#include "ir/print.hpp"
#include "loops/merge_loops.hpp"
#include "loops/passes.hpp"
#include "lower/gpu/lowering.hpp"
#include "passes/pipeline.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "problem/syntax.hpp"
#include "rules/rewriting_rules.hpp"

#include <fmt/format.h>

namespace swirl::cli {
namespace {

/// A heading and its text, each line indented.
std::string section(std::string_view heading, std::string_view text) {
    std::string result = fmt::format("\n{}\n", heading);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end > begin) result += "  ";
        result += std::string(text.substr(begin, end - begin)) + "\n";
        begin = end + 1;
    }
    return result;
}

std::string text_of(const formula::RewriteTrace& trace) {
    std::string text;
    for (const formula::RewriteStep& step : trace)
        text += fmt::format("{}: {} → {}\n", step.rule, formula::to_short_text(step.before),
                            formula::to_short_text(step.after));
    return text;
}

/// The identities that simplify the formula of a problem that is one.
std::string identities_of(const Transform& problem) {
    if (!has_formula(problem)) return "";
    formula::RewriteTrace trace;
    rules::simplify(problem.matrix.term(), &trace);
    return section("identities", trace.empty() ? "none applies" : text_of(trace));
}

/// The kernel's transform, each breakdown by the name of its rule, and the formula of the whole kernel.
std::string formulas_of(const planning::DimensionPass& pass, const rules::BreakdownTree& tree,
                        const formula::Formula& kernel) {
    std::string text;
    if (!pass.nonterminal.is<formula::Identity>()) {
        formula::RewriteTrace trace;
        const formula::Formula expanded = rules::expand(pass.nonterminal, tree, &trace);
        text = formula::to_short_text(pass.nonterminal) + "\n" + text_of(trace);
        if (kernel == expanded) return section("formula", text);
    }
    return section("formula", text + "kernel: " + formula::to_short_text(kernel));
}

std::string merges_of(const formula::Formula& kernel) {
    std::string text;
    for (const loops::LoopMerge& merge : loops::loop_merges_of(kernel))
        text += fmt::format("{}: {} beside {}\n", merge.rule, merge.folded, merge.factor);
    return text.empty() ? "" : section("loop merging", text);
}

std::vector<std::string> counts_of(std::string_view name, const ir::Program& program) {
    const ir::OperationCounts n = ir::count_operations(program);
    return {std::string(name), std::to_string(n.loads + n.stores),
            std::to_string(n.additions + n.multiplications + n.fused + n.negations),
            std::to_string(n.shuffles)};
}

/// Executed operations as lowered and after each pass that changes their number; a vector operation counts once.
class OperationTable {
public:
    explicit OperationTable(const ir::Program& lowered) { add("as lowered", lowered); }

    void add(std::string_view pass, const ir::Program& program) {
        std::vector<std::string> row = counts_of(pass, program);
        const bool same = !last_.empty() && std::equal(row.begin() + 1, row.end(), last_.begin() + 1);
        if (!same) table_.add(row);
        last_ = std::move(row);
    }

    std::string text() const { return section("ir", table_.text()); }

private:
    Table table_{{"after the pass", "loads and stores", "arithmetic", "shuffles"}};
    std::vector<std::string> last_;
};

std::string text_of_ir(std::string_view heading, const ir::Program& program) {
    return section(heading, ir::to_string(program, ir::PrintStyle::compact));
}

std::string heading_of(std::size_t k, std::size_t count, std::string_view what) {
    return count > 1 ? fmt::format("\n# {} {} of {}\n", what, k + 1, count) : "";
}

/// The loops as built and after each pass that changes their text.
std::string loops_of(const loops::Request& request) {
    std::string text, last;
    loops::loops_for_cpu(request, [&](const loops::Pass& pass, const loops::LoopProgram& program) {
        std::string loops = loops::to_text(program);
        if (program.pairs > 0)
            loops += fmt::format("vectors of {} complex elements, in pairs of lanes\n", program.pairs);
        if (loops != last) text += section(fmt::format("loops, after '{}'", pass.name), loops);
        last = std::move(loops);
    });
    return text;
}

} // namespace

std::string derivation_on_cpu(const Transform& problem, const PlanningOptions& options, bool full) {
    const auto plan = make_plan(problem, options, search::Purpose::inspect);
    const std::vector<planning::PassDescription> described = plan->describe();
    const std::vector<planning::DimensionPass> passes = planning::dimension_passes(problem);
    std::string text =
        fmt::format("problem  {}\nschedule {}\n", to_text(problem), planning::to_string(plan->schedule())) +
        identities_of(problem);
    for (std::size_t k = 0; k < passes.size(); ++k) {
        const planning::PassDescription& own = described[k];
        const rules::BreakdownTree& tree = own.schedule.tree;
        text += heading_of(k, passes.size(), "kernel") + formulas_of(passes[k], tree, own.formula) +
                merges_of(own.formula);
        if (plan->cpu().set == target::InstructionSet::portable)
            text += section("loops, run as they are", loops::to_text(own.loops));
        else
            text += loops_of(planning::kernel_request(problem, passes[k], tree, plan->cpu(),
                                                      plan->schedule().transform().scalar)
                                 .loops);
        OperationTable operations(own.lowered);
        passes::run_for_cpu(own.lowered, plan->cpu(),
                            [&](const passes::Pass& pass, const ir::Program& program) {
                                operations.add(pass.name, program);
                            });
        if (full) text += text_of_ir("ir, as lowered", own.lowered);
        text += operations.text();
        if (full) text += text_of_ir("ir, as compiled", own.program);
        const jit::CodeStatistics& code = own.statistics;
        if (code.bytes > 0)
            text += section("code", fmt::format("{} instructions in {} bytes; {} values spilled, {} reloaded",
                                                code.instructions, code.bytes, code.spills, code.reloads));
        if (full && code.bytes > 0)
            text += section("machine code", plan->listing(k));
        else if (full)
            text += section("C++", kernel_as_cpp(*plan, own));
    }
    return text;
}

std::string derivation_on_gpu(const Transform& problem, const PlanningOptions& options, bool full) {
    const GpuInspection plan = inspect_gpu_plan(problem, options);
    const std::vector<planning::DimensionPass> passes = planning::gpu_passes(problem, plan.schedule);
    std::string text =
        fmt::format("problem  {}\nschedule {}\n", to_text(problem), planning::to_string(plan.schedule)) +
        identities_of(problem);
    for (std::size_t k = 0; k < passes.size(); ++k) {
        const planning::PassSchedule& schedule = plan.schedule.transform().passes[k];
        const lower::KernelRequest request = planning::kernel_request(problem, passes[k], schedule.tree);
        text += heading_of(k, passes.size(), "pass") +
                formulas_of(passes[k], schedule.tree, request.loops.formula) +
                merges_of(request.loops.formula);
        std::size_t region = 0;
        lower::lower_to_gpu(request, schedule.configurations,
                            [&](const loops::LoopProgram& arrays, const loops::KernelRegion& tagged) {
                                text += section(fmt::format("loops of region {}", ++region),
                                                loops::to_text(arrays, tagged));
                            });
        const planning::GpuPassDescription& own = plan.passes[k];
        for (std::size_t i = 0; i < own.lowered.size(); ++i) {
            text += heading_of(i, own.lowered.size(), "kernel");
            OperationTable operations(own.lowered[i]);
            passes::run_for_gpu(own.lowered[i], [&](const passes::Pass& pass, const ir::Program& program) {
                operations.add(pass.name, program);
            });
            if (full) text += text_of_ir("ir, as lowered", own.lowered[i]);
            text += operations.text();
            if (full) text += text_of_ir("ir, as compiled", own.programs[i]);
            text += section("launch", ir::to_string(own.kernels[i]));
            if (full) text += section("PTX", own.ptx[i]);
        }
    }
    return text;
}

} // namespace swirl::cli
