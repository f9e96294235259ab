#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/generated_cpp.hpp"
#include "cli/gpu.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "cli/problems.hpp"
#include "cli/products.hpp"
#include "formula/print.hpp"
#include "ir/print.hpp"

#include <functional>
#include <memory>

namespace swirl::cli {
namespace {

struct ShowOptions {
    std::vector<std::string> words;
    PlanningOptions planning;
    std::string stage = "formula";
    bool latex = false;
    bool full = false;
};

/// One stage of a transform's lowering.
struct StageText {
    const char* name;
    const char* what;
    std::string (*text)(const planning::Plan& plan, std::size_t pass,
                        const planning::PassDescription& description, const ShowOptions& options);
};

ir::PrintStyle style_of(const ShowOptions& options) {
    return options.full ? ir::PrintStyle::full : ir::PrintStyle::compact;
}

constexpr StageText stages[] = {
    {"formula", "the transform as a formula",
     [](const auto&, std::size_t, const auto& description, const ShowOptions& options) {
         return (options.latex ? formula::to_latex(description.formula)
                               : formula::to_text(description.formula)) +
                "\n";
     }},
    {"ir", "the kernel derived from it",
     [](const auto&, std::size_t, const auto& description, const ShowOptions& options) {
         return ir::to_string(description.lowered, style_of(options));
     }},
    {"machine-ir", "the kernel after all passes",
     [](const auto&, std::size_t, const auto& description, const ShowOptions& options) {
         return ir::to_string(description.program, style_of(options));
     }},
    {"c++", "the kernel as C++",
     [](const auto& plan, std::size_t, const auto& description, const ShowOptions&) {
         return kernel_as_cpp(plan, description);
     }},
    {"asm", "the machine code",
     [](const auto& plan, std::size_t pass, const auto&, const ShowOptions&) { return plan.listing(pass); }},
};

std::string joined(const std::vector<ir::Program>& programs, const ShowOptions& options) {
    std::string text;
    for (const ir::Program& program : programs)
        text += (text.empty() ? "" : "\n") + ir::to_string(program, style_of(options));
    return text;
}

std::string text_on_gpu(const planning::GpuPassDescription& pass, const ShowOptions& options) {
    if (options.stage == "formula")
        return (options.latex ? formula::to_latex(pass.formula) : formula::to_text(pass.formula)) + "\n";
    if (options.stage == "ir") return joined(pass.lowered, options);
    if (options.stage == "machine-ir") return joined(pass.programs, options);
    if (options.stage != "ptx")
        throw UserError("--stage is '{}'; for a GPU use one of formula, ir, machine-ir, ptx", options.stage);
    std::string text;
    for (const std::string& ptx : pass.ptx) text += (text.empty() ? "" : "\n") + ptx;
    return text;
}

/// The text of each pass, with a heading above each if there are several.
template <class Passes, class Text> std::string with_headings(const Passes& passes, Text text_of) {
    std::string text;
    for (std::size_t i = 0; i < passes.size(); ++i) {
        if (passes.size() > 1)
            text += fmt::format("{}# step {} of {}\n", i > 0 ? "\n" : "", i + 1, passes.size());
        text += text_of(i);
    }
    return text;
}

void show_on_gpu(const ShowOptions& options) {
    const GpuInspection plan = inspect_gpu_plan(parse_one_problem(options.words), options.planning);
    print(with_headings(plan.passes, [&](std::size_t i) { return text_on_gpu(plan.passes[i], options); }));
}

const StageText& stage_named(const std::string& name) {
    std::string names;
    for (const StageText& stage : stages) {
        if (stage.name == name) return stage;
        names += std::string(names.empty() ? "" : ", ") + stage.name;
    }
    throw UserError("--stage is '{}'; use one of {}", name, names);
}

void show(const ShowOptions& options) {
    if (options.latex && options.stage != "formula")
        throw UserError("--latex goes with --stage formula only");
    if (is_product(options.words))
        return show_product(parse_product(options.words, options.planning), options.planning,
                            options.stage == "formula" ? "ir" : options.stage, options.full);
    if (options.planning.is_for_gpu()) return show_on_gpu(options);
    const StageText& stage = stage_named(options.stage);
    const auto plan = make_plan(parse_one_problem(options.words), options.planning, search::Purpose::inspect);
    const auto passes = plan->describe();
    print(with_headings(passes, [&](std::size_t i) { return stage.text(*plan, i, passes[i], options); }));
}

} // namespace

void add_show(CLI::App& program) {
    auto options = std::make_shared<ShowOptions>();
    CLI::App& command = *program.add_subcommand(
        "show", "Print a transform at one of its stages from formula to machine code");
    add_problem_words(command, options->words, "What to show");
    std::string help = "One of";
    for (const StageText& stage : stages) help += fmt::format("\n{}: {}", stage.name, stage.what);
    help += "\nptx: of a GPU, what its driver compiles";
    command.add_option("--stage", options->stage, help)->type_name("STAGE")->capture_default_str();
    command.add_flag("--latex", options->latex, "The formula for LaTeX");
    command.add_flag("--full", options->full, "The ir with every type and parameter");
    options->planning.add_to(command);
    options->planning.add_device_to(command);
    command.callback([options] { show(*options); });
}

} // namespace swirl::cli
