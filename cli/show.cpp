#include "base/error.hpp"
#include "cli/blas.hpp"
#include "cli/command.hpp"
#include "cli/generated_cpp.hpp"
#include "cli/gpu.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "cli/problems.hpp"
#include "cli/products.hpp"
#include "formula/print.hpp"
#include "ir/print.hpp"
#include "problem/syntax.hpp"

#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace swirl::cli {
namespace {

struct ShowOptions {
    std::vector<std::string> words;
    PlanningOptions planning;
    std::string stage = "formula";
    bool latex = false;
    bool full = false;
    bool json = false;
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

/// Everything that is shown of a problem.
struct Shown {
    std::string problem, schedule, target, stage;
    std::string (*heading)(std::size_t, std::size_t) = nullptr; ///< above each text if there are several
    std::vector<KernelTexts::Kernel> texts;                     ///< of each pass or kernel
};

void print_shown(const ShowOptions& options, const Shown& shown) {
    if (options.json) {
        Json json{{"problem", shown.problem},
                  {"schedule", shown.schedule},
                  {"target", shown.target},
                  {"stage", shown.stage},
                  {"texts", Json::array()}};
        for (const KernelTexts::Kernel& each : shown.texts)
            json["texts"].push_back({{"name", each.name}, {"text", each.text}});
        return print_json(json);
    }
    std::string text;
    for (std::size_t i = 0; i < shown.texts.size(); ++i) {
        if (i > 0) text += "\n";
        if (shown.texts.size() > 1 && shown.heading != nullptr) text += shown.heading(i, shown.texts.size());
        text += shown.texts[i].text;
    }
    print(text);
}

std::string pass_heading(std::size_t pass, std::size_t count) {
    return fmt::format("# pass {} of {}\n", pass + 1, count);
}
std::string pass_name(std::size_t pass) { return fmt::format("pass {}", pass + 1); }

Shown shown_on_gpu(const ShowOptions& options) {
    const Transform problem = parse_one_problem(options.words);
    const GpuInspection plan = inspect_gpu_plan(problem, options.planning);
    Shown shown{to_text(problem),     planning::to_string(plan.schedule),
                plan.schedule.target, options.stage,
                pass_heading,         {}};
    for (std::size_t i = 0; i < plan.passes.size(); ++i)
        shown.texts.push_back({pass_name(i), text_on_gpu(plan.passes[i], options)});
    return shown;
}

const StageText& stage_named(const std::string& name) {
    std::string names;
    for (const StageText& stage : stages) {
        if (stage.name == name) return stage;
        names += std::string(names.empty() ? "" : ", ") + stage.name;
    }
    throw UserError("--stage is '{}'; use one of {}", name, names);
}

Shown shown_product(const ShowOptions& options) {
    const MatrixProduct product = parse_product(options.words, options.planning);
    const std::string stage = options.stage == "formula" ? "ir" : options.stage;
    KernelTexts kernels = kernels_at_stage(product, options.planning, stage, options.full);
    return {to_text(product), std::move(kernels.schedule), std::move(kernels.target), stage,
            nullptr,          std::move(kernels.kernels)};
}

Shown shown_blas_routine(const ShowOptions& options) {
    if (options.planning.is_for_gpu()) throw UserError("routines of the BLAS run on CPUs");
    const target::Cpu& cpu =
        options.planning.cpu.empty() ? target::host_cpu() : target::cpu_named(options.planning.cpu);
    const std::string stage = options.stage == "formula" ? "ir" : options.stage;
    return {fmt::format("{}", fmt::join(options.words, " ")),
            "",
            std::string(cpu.name),
            stage,
            nullptr,
            texts_at_stage(blas_programs(options.words, cpu), cpu, stage, options.full)};
}

Shown shown_on_cpu(const ShowOptions& options) {
    const StageText& stage = stage_named(options.stage);
    const Transform problem = parse_one_problem(options.words);
    const auto plan = make_plan(problem, options.planning, search::Purpose::inspect);
    const auto passes = plan->describe();
    Shown shown{to_text(problem),
                planning::to_string(plan->schedule()),
                std::string(plan->cpu().name),
                options.stage,
                pass_heading,
                {}};
    for (std::size_t i = 0; i < passes.size(); ++i)
        shown.texts.push_back({pass_name(i), stage.text(*plan, i, passes[i], options)});
    return shown;
}

void show(const ShowOptions& options) {
    if (options.latex && options.stage != "formula")
        throw UserError("--latex goes with --stage formula only");
    if (is_blas_routine(options.words)) return print_shown(options, shown_blas_routine(options));
    if (is_product(options.words)) return print_shown(options, shown_product(options));
    print_shown(options, options.planning.is_for_gpu() ? shown_on_gpu(options) : shown_on_cpu(options));
}

} // namespace

void add_show(CLI::App& program) {
    auto options = std::make_shared<ShowOptions>();
    CLI::App& command = *program.add_subcommand(
        "show",
        "Print a transform or a matrix multiplication at one of its stages, from formula to machine code");
    add_problem_words(command, options->words, "What to show",
                      "  swirl show dft 8\n"
                      "  swirl show dft 64 --stage asm --cpu avx2");
    std::string help = "One of";
    for (const StageText& stage : stages) help += fmt::format("\n{}: {}", stage.name, stage.what);
    help +=
        "\nptx: of a GPU, what its driver compiles\nmatrix multiplication has no formula: on CPUs ir, "
        "machine-ir, c++, asm; on GPUs ir, ptx\na routine of the BLAS, such as dtrsm LLNN 100x300, has the "
        "same on CPUs";
    command.add_option("--stage", options->stage, help)->type_name("STAGE")->capture_default_str();
    command.add_flag("--latex", options->latex, "The formula for LaTeX");
    command.add_flag("--full", options->full, "The ir with every type and parameter");
    command.add_flag("--json", options->json, "Print JSON");
    options->planning.add_to(command);
    options->planning.add_device_to(command);
    command.callback([options] { show(*options); });
}

} // namespace swirl::cli
