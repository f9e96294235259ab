#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/generated_cpp.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "cli/problems.hpp"
#include "formula/print.hpp"
#include "ir/print.hpp"

#include <functional>
#include <memory>

namespace swirl::cli {
namespace {

struct Options {
    std::vector<std::string> words;
    PlanningOptions planning;
    std::string stage = "formula";
    bool latex = false;
    bool full = false;
};

/// One of the forms that a transform takes on its way to the machine.
struct StageText {
    const char* name;
    const char* what;
    std::string (*text)(const planning::Plan& plan, std::size_t step,
                        const planning::StepDescription& description, const Options& options);
};

ir::PrintStyle style_of(const Options& options) {
    return options.full ? ir::PrintStyle::full : ir::PrintStyle::compact;
}

constexpr StageText stages[] = {
    {"formula", "the transform as a formula",
     [](const auto&, std::size_t, const auto& description, const Options& options) {
         return (options.latex ? formula::to_latex(description.formula)
                               : formula::to_text(description.formula)) +
                "\n";
     }},
    {"ir", "the kernel derived from it",
     [](const auto&, std::size_t, const auto& description, const Options& options) {
         return ir::to_string(description.lowered, style_of(options));
     }},
    {"machine-ir", "the kernel after all passes",
     [](const auto&, std::size_t, const auto& description, const Options& options) {
         return ir::to_string(description.program, style_of(options));
     }},
    {"c++", "the kernel as C++",
     [](const auto& plan, std::size_t, const auto& description, const Options&) {
         return kernel_as_cpp(plan, description);
     }},
    {"asm", "the machine code",
     [](const auto& plan, std::size_t step, const auto&, const Options&) { return plan.listing(step); }},
};

const StageText& stage_named(const std::string& name) {
    std::string names;
    for (const StageText& stage : stages) {
        if (stage.name == name) return stage;
        names += std::string(names.empty() ? "" : ", ") + stage.name;
    }
    throw UserError("--stage is '{}'; use one of {}", name, names);
}

void show(const Options& options) {
    const StageText& stage = stage_named(options.stage);
    if (options.latex && options.stage != "formula")
        throw UserError("--latex goes with --stage formula only");
    const auto plan = make_plan(parse_one_problem(options.words), options.planning, api::Purpose::inspect);
    const auto steps = plan->describe();
    std::string text;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps.size() > 1)
            text += fmt::format("{}# step {} of {}\n", i > 0 ? "\n" : "", i + 1, steps.size());
        text += stage.text(*plan, i, steps[i], options);
    }
    print(text);
}

} // namespace

void add_show(CLI::App& program) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *program.add_subcommand(
        "show", "Print a transform at one of its stages from formula to machine code");
    add_problem_words(command, options->words, "What to show");
    std::string help = "One of";
    for (const StageText& stage : stages) help += fmt::format("\n{}: {}", stage.name, stage.what);
    command.add_option("--stage", options->stage, help)->type_name("STAGE")->capture_default_str();
    command.add_flag("--latex", options->latex, "The formula for LaTeX");
    command.add_flag("--full", options->full, "The ir with every type and parameter");
    options->planning.add_to(command);
    command.callback([options] { show(*options); });
}

} // namespace swirl::cli
