#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/costs.hpp"
#include "cli/floors.hpp"
#include "cli/gpu.hpp"
#include "cli/memory_need.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "cli/problems.hpp"
#include "cli/products.hpp"
#include "cli/ranks.hpp"
#include "cli/table.hpp"
#include "cli/time_need.hpp"
#include "formula/print.hpp"
#include "problem/syntax.hpp"
#include "search/cost/cpu/estimate.hpp"

#include <memory>

namespace swirl::cli {
namespace {

struct PlanCommandOptions {
    std::vector<std::string> words;
    bool json = false;
    PlanningOptions planning;
    RankOptions ranks;
};

/// Everything reported about a plan.
struct Report {
    std::shared_ptr<const planning::Plan> plan;
    std::vector<planning::PassDescription> passes;
    PlanCosts costs;
    planning::TimeNeed planning;
};

Report report_on(const Transform& problem, const PlanningOptions& options) {
    const auto plan = make_plan(problem, options, search::Purpose::inspect);
    return {
        plan, plan->describe(), costs_on_cpu(*plan, !options.no_wisdom),
        time_of(planning::planning_work(plan->problem(), plan->schedule(), {.check = !options.no_check}))};
}

planning::MemoryNeed memory_of(const planning::Plan& plan) {
    return {.workspace = static_cast<Integer>(plan.workspace_bytes()), .tables = plan.table_bytes()};
}

Json phases_of(const planning::PassDescription& pass) {
    Json phases = Json::array();
    for (const planning::PhaseDescription& phase : pass.phases)
        phases.push_back({{"parallel", phase.is_parallel},
                          {"iterations", phase.iterations},
                          {"repeated", phase.repeated},
                          {"repetitions", phase.repetitions}});
    return phases;
}

Json json_of(const planning::PassDescription& pass) {
    return {{"dimension", pass.schedule.dimension},
            {"tree", rules::to_string(pass.schedule.tree)},
            {"formula", formula::to_short_text(pass.formula)},
            {"kernel", pass.info.name},
            {"flops", pass.info.flops},
            {"bytes_loaded", pass.info.bytes_loaded},
            {"bytes_stored", pass.info.bytes_stored},
            {"table_bytes", pass.info.table_bytes},
            {"workspace_bytes", pass.info.workspace_bytes},
            {"instructions", pass.statistics.instructions},
            {"spills", pass.statistics.spills},
            {"reloads", pass.statistics.reloads},
            {"code_bytes", pass.statistics.bytes},
            {"phases", phases_of(pass)}};
}

Json json_of(const Report& report) {
    const planning::Plan& plan = *report.plan;
    Json json{{"problem", to_text(plan.problem())},
              {"schedule", planning::to_string(plan.schedule())},
              {"cpu", plan.cpu().name},
              {"threads", plan.threads()},
              {"checked", plan.checked()},
              {"passes", Json::array()},
              {"flops", plan.flops()},
              {"pseudo_flops", search::pseudo_flops(plan.problem())},
              {"bytes", plan.bytes()},
              {"data_bytes", search::compulsory_bytes(plan.problem())}};
    add_memory(json, memory_of(plan));
    add_time(json, report.planning);
    for (const auto& pass : report.passes) json["passes"].push_back(json_of(pass));
    add_costs(json, report.costs);
    return json;
}

std::string text_of_passes(const Report& report) {
    Table table(
        {"pass", "dimension", "tree", "flops", "traffic", "tables", "instructions", "spills", "code"});
    std::size_t index = 0;
    for (const auto& pass : report.passes)
        table.add({std::to_string(++index), std::to_string(pass.schedule.dimension),
                   rules::to_string(pass.schedule.tree), std::to_string(pass.info.flops),
                   format_bytes(static_cast<double>(pass.info.bytes_loaded + pass.info.bytes_stored)),
                   format_bytes(static_cast<double>(pass.info.table_bytes)),
                   std::to_string(pass.statistics.instructions), std::to_string(pass.statistics.spills),
                   format_bytes(static_cast<double>(pass.statistics.bytes))});
    return table.text();
}

/// The phases of all passes: iterations divided among threads, or "one thread"; repeated ones in parentheses.
std::string text_of_threads(const Report& report) {
    std::string text;
    for (const auto& pass : report.passes) {
        Integer repeated = 0;
        for (const planning::PhaseDescription& phase : pass.phases) {
            const bool begins = phase.repeated != repeated;
            if (begins && repeated != 0) text += ")";
            if (!text.empty()) text += ", ";
            if (begins && phase.repeated != 0) text += fmt::format("{} times (", phase.repetitions);
            text += phase.is_parallel ? fmt::format("{} iterations", phase.iterations) : "one thread";
            repeated = phase.repeated;
        }
        if (repeated != 0) text += ")";
    }
    return fmt::format("threads    {}; phases: {}\n", report.plan->threads(), text);
}

std::string text_of(const Report& report) {
    const planning::Plan& plan = *report.plan;
    const double bytes = search::compulsory_bytes(plan.problem());
    std::string text = fmt::format("problem    {}\nschedule   {}\n", to_text(plan.problem()),
                                   planning::to_string(plan.schedule()));
    for (std::size_t i = 0; i < report.passes.size(); ++i)
        text += fmt::format("formula {}  {}\n", i + 1, formula::to_short_text(report.passes[i].formula));
    text += "\n" + text_of_passes(report) + "\n";
    text += fmt::format("flops      {:.0f}, {:.2f} of 5 n log2 n\n", plan.flops(),
                        plan.flops() / search::pseudo_flops(plan.problem()));
    text += fmt::format("bytes      {} read and written by the kernels, {:.1f} times the data's {}\n",
                        format_bytes(plan.bytes()), plan.bytes() / bytes, format_bytes(bytes));
    text += memory_line(memory_of(plan)) + time_line(report.planning);
    text += "checked    " + plan.checked() + "\n";
    if (plan.threads() > 1) text += text_of_threads(report);
    return text + text_of(report.costs);
}

} // namespace

void add_plan(CLI::App& program) {
    auto options = std::make_shared<PlanCommandOptions>();
    CLI::App& command =
        *program.add_subcommand("plan",
                                "Plan a transform or a matrix multiplication: schedule, kernels, "
                                "floors, the model's estimate, and why nothing "
                                "else was taken");
    add_problem_words(command, options->words, "What to plan",
                      "  swirl plan dft 1000 --measure\n"
                      "  swirl plan rdft 4096 batch=64 --device gpu\n"
                      "  swirl plan gemm 1000x80x60 --json\n"
                      "  swirl plan dft 512x512x512 --ranks 8x8");
    command.add_flag("--json", options->json, "Print JSON");
    options->planning.add_to(command);
    options->planning.add_device_to(command);
    options->ranks.add_to(command);
    command.callback([options] {
        if (options->ranks.is_given())
            return report_ranks(parse_one_problem(options->words), options->ranks, options->planning.schedule,
                                options->json, false);
        if (is_product(options->words))
            return report_product(parse_product(options->words, options->planning), options->planning,
                                  options->json);
        if (options->planning.is_for_gpu())
            return report_on_gpu(parse_one_problem(options->words), options->planning, options->json);
        const Report report = report_on(parse_one_problem(options->words), options->planning);
        if (options->json)
            print_json(json_of(report));
        else
            print(text_of(report));
    });
}

} // namespace swirl::cli
