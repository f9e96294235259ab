/// Texts about problems and plans: explanations, source text, what notebooks show. They are those of the command line.
#include "reports.hpp"

#include "cli/explain/derivation.hpp"
#include "cli/explain/notebook.hpp"
#include "cli/standalone.hpp"
#include "target/gpu.hpp"

#include <nanobind/stl/string.h>

#include <swirl/error.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace swirl::python {
namespace {

cli::PlanningOptions planning_options(const Report& report) {
    cli::PlanningOptions options;
    options.device = report.device;
    if (options.device.starts_with("cuda:")) options.device = "gpu:" + options.device.substr(5);
    options.threads = options.is_for_gpu() ? 1 : report.threads;
    options.gemm_accuracy = report.accuracy;
    std::replace(options.gemm_accuracy.begin(), options.gemm_accuracy.end(), '_', '-');
    options.schedule = report.schedule;
    options.cpu = report.cpu;
    options.no_wisdom = !report.use_wisdom;
    options.no_check = true;
    return options;
}

/// The command line's errors name its options: --cpu is the argument cpu.
std::string in_python(std::string message) {
    for (std::size_t at = 0; (at = message.find("--", at)) != std::string::npos;) message.erase(at, 2);
    return message;
}

/// The function of the parsed problem, without the interpreter's lock.
template <class Text> std::string text_of(const Report& report, Text&& text) {
    const nb::gil_scoped_release released;
    try {
        return std::visit(std::forward<Text>(text), parse_problem(report.problem));
    } catch (const UserError& error) {
        throw UserError(in_python(error.what()));
    }
}

std::string explain(const std::string& problem, nb::handle device, int threads, const std::string& accuracy,
                    const std::string& schedule, const std::string& cpu, bool use_wisdom, bool full) {
    Report report{problem, {}, threads, accuracy, schedule, cpu, use_wisdom};
    const std::string named = device.is_none() ? "cpu" : nb::str(device).c_str();
    const bool is_kind =
        std::ranges::any_of(target::gpus(), [&](const target::Gpu* gpu) { return gpu->name == named; });
    report.device = is_kind ? named : name_of(device_named(device));
    return explanation_of(report, full);
}

std::string emit(const std::string& problem, const std::string& language, const std::string& gpu,
                 const std::string& function, bool header, const std::string& accuracy,
                 const std::string& schedule, const std::string& cpu, bool use_wisdom) {
    return source_of({.problem = problem,
                      .accuracy = accuracy,
                      .schedule = schedule,
                      .cpu = cpu,
                      .use_wisdom = use_wisdom},
                     {language, gpu, function, header});
}

} // namespace

Report report_of(const Plan& plan, const PlanOptions& options) {
    return {to_text(plan.problem()), name_of(plan.device()), options.threads,
            options.accuracy,        plan.schedule(),        options.cpu,
            options.use_wisdom};
}

std::string explanation_of(const Report& report, bool full) {
    return text_of(report, [&](const auto& problem) {
        return cli::derivation_of(problem, planning_options(report), full);
    });
}

std::string markdown_of(const Report& report) {
    return text_of(report,
                   [&](const auto& problem) { return cli::markdown_of(problem, planning_options(report)); });
}

std::string source_of(Report report, const Source& source) {
    const std::string language = source.language == "cpp" ? "c++" : source.language;
    const bool is_for_gpu = language != "c++";
    report.device = "cpu"; // the kind of GPU is that of the source
    if (is_for_gpu) {
        report.threads = 1;
        report.cpu.clear();
    }
    return text_of(report, [&](const auto& problem) {
        cli::SourceText text = cli::source_of(problem, {.language = language,
                                                        .gpu = source.gpu,
                                                        .function = source.function,
                                                        .planning = planning_options(report)});
        if (source.header && text.header.empty())
            throw UserError("header of a product by blocks: its kernels are several functions");
        return std::move(source.header ? text.header : text.source);
    });
}

void define_reports(nb::module_& module) {
    using nb::arg;
    module.def("explain", explain, arg("problem"), nb::kw_only(), arg("device").none() = nb::none(),
               arg("threads") = 1, arg("accuracy") = "ordinary", arg("schedule") = "", arg("cpu") = "",
               arg("use_wisdom") = true, arg("full") = false);
    module.def("emit", emit, arg("problem"), arg("language") = "c++", nb::kw_only(), arg("gpu") = "generic",
               arg("function") = "", arg("header") = false, arg("accuracy") = "ordinary",
               arg("schedule") = "", arg("cpu") = "", arg("use_wisdom") = true);
}

} // namespace swirl::python
