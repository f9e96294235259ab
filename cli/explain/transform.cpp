#include "cli/explain/transform.hpp"

#include "cli/costs.hpp"
#include "cli/explain/sections.hpp"
#include "cli/generated_cpp.hpp"
#include "cli/gpu.hpp"
#include "cli/table.hpp"
#include "formula/print.hpp"
#include "ir/count.hpp"
#include "ir/kernel_info.hpp"
#include "loops/gpu/passes.hpp"
#include "loops/merge_loops.hpp"
#include "loops/passes.hpp"
#include "passes/pipeline.hpp"
#include "plan/check/problem_data.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "problem/syntax.hpp"
#include "rules/rewriting_rules.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/timer/cpu/timing.hpp"
#include "search/timer/gpu/timing.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace swirl::cli {
namespace {

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
        text += fmt::format("{}: {} folded into {}\n", merge.rule, merge.folded, merge.factor);
    return text.empty() ? "" : section("loop merging", text);
}

/// A heading for each pass that changes the text.
class LoopSections {
public:
    /// `known`: the text that the first pass starts from, if it has been printed.
    explicit LoopSections(std::string known = {}) : last_(std::move(known)) {}

    void add(const std::string& heading, const std::string& loops) {
        if (loops != last_) text_ += section(heading, loops);
        last_ = loops;
    }
    std::string text() const { return text_; }
    std::string last() const { return last_; }

private:
    std::string text_, last_;
};

/// The loops as built and after each pass that changes their text.
std::string loops_of(const loops::Request& request) {
    LoopSections sections;
    loops::loops_for_cpu(request, [&](const loops::Pass& pass, const loops::LoopProgram& program) {
        std::string loops = loops::to_text(program);
        if (program.pairs > 0)
            loops += fmt::format("vectors of {} complex elements, in pairs of lanes\n", program.pairs);
        sections.add(fmt::format("loops, after '{}'", pass.name), loops);
    });
    return sections.text();
}

/// The same for the kernels of a GPU: first the regions of all kernels, then each kernel.
std::string gpu_loops_of(const loops::Request& request,
                         const std::vector<loops::LaunchConfiguration>& configurations) {
    LoopSections regions;
    std::vector<LoopSections> kernels;
    loops::loops_for_gpu(
        request, configurations,
        {.regions =
             [&](const loops::RegionsPass& pass, const loops::KernelRegions& now) {
                 regions.add(fmt::format("loops, after '{}'", pass.name), to_text(now));
             },
         .kernels =
             [&](const loops::KernelPass& pass, std::size_t kernel, const loops::KernelLoops& now) {
                 if (kernels.size() <= kernel) kernels.emplace_back(regions.last());
                 kernels[kernel].add(fmt::format("loops of kernel {}, after '{}'", kernel + 1, pass.name),
                                     to_text(now.regions));
             }});
    std::string text = regions.text();
    for (const LoopSections& kernel : kernels) text += kernel.text();
    return text;
}

} // namespace

namespace {

/// The model's time of each pass over the data and, where it can run here, the measured one.
struct PassTimes {
    std::vector<std::optional<double>> predicted;
    std::vector<double> measured; ///< empty: nothing was measured
    std::string not_measured_because = {};
};

std::string text_of(const PassTimes& times) {
    Table table({"pass", "predicted", "measured", "measured/predicted"});
    for (std::size_t k = 0; k < times.predicted.size(); ++k) {
        const std::optional<double>& predicted = times.predicted[k];
        const bool is_measured = k < times.measured.size();
        table.add({std::to_string(k + 1), predicted ? format_seconds(*predicted) : "-",
                   is_measured ? format_seconds(times.measured[k]) : "-",
                   is_measured && predicted ? fmt::format("{:.2f}", times.measured[k] / *predicted) : "-"});
    }
    const std::string why =
        times.not_measured_because.empty() ? "" : "not measured: " + times.not_measured_because + "\n";
    return "\n# time of each pass\n\n" + table.text() + why;
}

void add_times(Json& pass, const PassTimes& times, std::size_t k) {
    const std::optional<double>& predicted = times.predicted[k];
    pass["predicted_seconds"] = predicted ? Json(*predicted) : Json(nullptr);
    pass["measured_seconds"] = k < times.measured.size() ? Json(times.measured[k]) : Json(nullptr);
}

/// Median seconds of each pass alone, on one thread, with data in the caches that hold it.
std::vector<double> measured_passes(const planning::Plan& plan, std::size_t passes) {
    constexpr double seconds_of_pass = 0.05;
    planning::ProblemData data(plan.problem());
    data.fill(1);
    plan.execute(data.arguments());
    std::vector<double> result;
    for (std::size_t k = 0; k < passes; ++k) {
        data.fill(1);
        const runtime::TimedWork work = data.timed([&] { plan.execute_pass(k, data.arguments()); });
        runtime::TimingOptions budget;
        budget.budget = seconds_of_pass;
        result.push_back(search::measure_interleaved(std::span(&work, 1), budget).front().median);
    }
    return result;
}

PassTimes times_on_cpu(const planning::Plan& plan, bool use_wisdom) {
    const search::MachineModel& machine =
        use_wisdom ? search::known_machine_model(plan.cpu()) : search::fitted_machine_model();
    PassTimes times{.predicted = search::pass_seconds(plan.problem(), plan.schedule(), plan.cpu(), machine),
                    .measured = {}};
    if (target::host_can_run(plan.cpu()))
        times.measured = measured_passes(plan, times.predicted.size());
    else
        times.not_measured_because = fmt::format("this machine cannot run {}", plan.cpu().name);
    return times;
}

/// Sums of the kernels of each pass, in order.
std::vector<double> measured_passes(const planning::GpuPlan& plan,
                                    const std::vector<planning::GpuPassDescription>& passes) {
    const std::vector<runtime::Measurement> kernels = search::time_kernels_on_gpu(plan);
    std::vector<double> result;
    std::size_t next = 0;
    for (const planning::GpuPassDescription& pass : passes) {
        double seconds = 0;
        for (std::size_t k = 0; k < pass.kernels.size() && next < kernels.size(); ++k)
            seconds += kernels[next++].median;
        result.push_back(seconds);
    }
    return result;
}

double flops_of(const std::vector<planning::GpuPassDescription>& passes) {
    double flops = 0;
    for (const planning::GpuPassDescription& pass : passes)
        for (const ir::KernelInfo& kernel : pass.kernels) flops += static_cast<double>(kernel.flops);
    return flops;
}

Json json_of(const ir::OperationCounts& n) {
    return {{"loads", n.loads},
            {"stores", n.stores},
            {"arithmetic", n.additions + n.multiplications + n.fused + n.negations},
            {"shuffles", n.shuffles}};
}

} // namespace

TransformDerivation derivation_on_cpu(const Transform& problem, const PlanningOptions& options, bool full) {
    const auto plan = make_plan(problem, options, search::Purpose::inspect);
    const std::vector<planning::PassDescription> described = plan->describe();
    const std::vector<planning::DimensionPass> passes = planning::dimension_passes(problem);
    std::string text = fmt::format("problem    {}\nschedule   {}\n", to_text(problem),
                                   planning::to_string(plan->schedule())) +
                       identities_of(problem);
    const PassTimes times = times_on_cpu(*plan, !options.no_wisdom);
    Json json{{"problem", to_text(problem)},
              {"schedule", planning::to_string(plan->schedule())},
              {"cpu", plan->cpu().name},
              {"passes", Json::array()}};
    for (std::size_t k = 0; k < passes.size(); ++k) {
        const planning::PassDescription& own = described[k];
        const rules::BreakdownTree& tree = own.schedule.tree;
        text += heading_of(k, passes.size(), "kernel") + formulas_of(passes[k], tree, own.formula) +
                merges_of(own.formula);
        if (plan->cpu().set == target::InstructionSet::portable)
            text += section("loops, run as they are", loops::to_text(own.loops));
        else
            text += loops_of(
                planning::kernel_request(problem, {passes[k], tree}, plan->cpu(), plan->code_options(k))
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
        json["passes"].push_back({{"dimension", own.schedule.dimension},
                                  {"tree", rules::to_string(tree)},
                                  {"formula", formula::to_short_text(own.formula)},
                                  {"loops", loops::to_text(own.loops)},
                                  {"lowered", json_of(ir::count_operations(own.lowered))},
                                  {"compiled", json_of(ir::count_operations(own.program))},
                                  {"instructions", code.instructions},
                                  {"spills", code.spills},
                                  {"code_bytes", code.bytes}});
        add_times(json["passes"].back(), times, k);
    }
    const PlanCosts costs = costs_on_cpu(*plan, !options.no_wisdom);
    add_costs(json, costs);
    return {text + text_of(times) + "\n" + cli::text_of(costs), json};
}

TransformDerivation derivation_on_gpu(const Transform& problem, const PlanningOptions& options, bool full) {
    GpuInspection plan;
    std::vector<double> measured;
    if (index_of_gpu(options)) {
        const auto built = make_gpu_plan(problem, options);
        plan = {built->schedule(), built->describe()};
        measured = measured_passes(*built, plan.passes);
    } else {
        plan = inspect_gpu_plan(problem, options);
    }
    const target::Gpu gpu = gpu_target_of(options).identity.gpu;
    const PassTimes times{
        .predicted = search::gpu_pass_seconds(problem, plan.schedule, gpu),
        .measured = measured,
        .not_measured_because =
            measured.empty()
                ? fmt::format("{} is a kind of GPU; use --device gpu for one of this machine", gpu.name)
                : ""};
    Json json{{"problem", to_text(problem)},
              {"schedule", planning::to_string(plan.schedule)},
              {"gpu", gpu.name},
              {"passes", Json::array()}};
    const std::vector<planning::DimensionPass> passes = planning::gpu_passes(problem, plan.schedule);
    std::string text =
        fmt::format("problem    {}\nschedule   {}\n", to_text(problem), planning::to_string(plan.schedule)) +
        identities_of(problem);
    for (std::size_t k = 0; k < passes.size(); ++k) {
        const planning::PassSchedule& schedule = plan.schedule.transform().passes[k];
        const lower::KernelRequest request = planning::kernel_request(problem, {passes[k], schedule.tree});
        text += heading_of(k, passes.size(), "pass") +
                formulas_of(passes[k], schedule.tree, request.loops.formula) +
                merges_of(request.loops.formula);
        text += gpu_loops_of(request.loops, schedule.configurations);
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
        Json kernels = Json::array();
        for (std::size_t i = 0; i < own.lowered.size(); ++i)
            kernels.push_back({{"kernel", own.kernels[i].name},
                               {"lowered", json_of(ir::count_operations(own.lowered[i]))},
                               {"compiled", json_of(ir::count_operations(own.programs[i]))},
                               {"launch", ir::to_string(own.kernels[i])}});
        json["passes"].push_back({{"dimension", own.schedule.dimension},
                                  {"tree", rules::to_string(own.schedule.tree)},
                                  {"formula", formula::to_short_text(own.formula)},
                                  {"kernels", std::move(kernels)}});
        add_times(json["passes"].back(), times, k);
    }
    const PlanCosts costs = costs_on_gpu(problem, plan.schedule, flops_of(plan.passes), gpu);
    add_costs(json, costs);
    return {text + text_of(times) + "\n" + cli::text_of(costs), json};
}

} // namespace swirl::cli
