#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/generated_cpp.hpp"
#include "cli/generated_gpu.hpp"
#include "cli/gpu_products.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "cli/problems.hpp"
#include "cli/products.hpp"
#include "search/planner.hpp"
#include "target/gpu.hpp"

#include <cctype>
#include <memory>

namespace swirl::cli {
namespace {

struct EmitOptions {
    std::vector<std::string> words;
    std::string file;
    std::string header;
    std::string function;
    std::string language = "c++";
    std::string gpu = "generic";
    PlanningOptions planning;
};

struct Text {
    std::string source;
    std::string header;
};

void check_identifier(const std::string& name) {
    bool good = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
    for (const char c : name) good = good && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_');
    if (!good) throw UserError("--function is '{}', which is no C identifier", name);
}

Text text_for_gpu(const Transform& problem, const EmitOptions& options, const std::string& function) {
    const emit::GpuLanguage language = emit::gpu_language_named(options.language);
    const PlanningOptions& planning = options.planning;
    if (!planning.cpu.empty())
        throw UserError("--cpu {} with --language {}; for GPUs there is --gpu", planning.cpu,
                        options.language);
    if (planning.measure || planning.exhaustive)
        throw UserError(
            "--language {} with --measure or --exhaustive; kernels for GPUs are chosen by estimate, by "
            "wisdom, or by --schedule",
            options.language);
    const search::GpuTarget gpu(gpu_in(language, target::gpu_named(options.gpu)));
    const planning::Schedule schedule = search::choose_schedule(problem, gpu, planning.plan_options());
    StandaloneGpu text = schedule_as_gpu_source(problem, schedule, language, function);
    return {std::move(text.source), std::move(text.header)};
}

Text text_in_cpp(const Transform& problem, const EmitOptions& options, const std::string& function) {
    StandaloneCpp text =
        plan_as_cpp(*make_plan(problem, options.planning, search::Purpose::inspect), function);
    return {std::move(text.source), std::move(text.header)};
}

void write(const Text& text, const EmitOptions& options) {
    if (!options.header.empty()) write_file(options.header, text.header);
    if (options.file.empty())
        print(text.source);
    else
        write_file(options.file, text.source);
}

void emit_product(const EmitOptions& options) {
    const std::string function = options.function.empty() ? "swirl_gemm" : options.function;
    check_identifier(function);
    if (options.language != "c++") {
        const emit::GpuLanguage language = emit::gpu_language_named(options.language);
        PlanningOptions planning = options.planning;
        planning.device = options.gpu;
        StandaloneGpu text =
            gemm_as_gpu_source(parse_product(options.words, planning), planning, language, function);
        return write({std::move(text.source), std::move(text.header)}, options);
    }
    const MatrixProduct product = parse_product(options.words, options.planning);
    ProductText text = product_as_cpp(product, options.planning, function);
    if (text.header.empty() && !options.header.empty())
        throw UserError("--header with a product by blocks: its kernels are several functions");
    write({std::move(text.source), std::move(text.header)}, options);
}

void emit(const EmitOptions& options) {
    if (is_product(options.words)) return emit_product(options);
    const Transform problem = parse_one_problem(options.words);
    const std::string function = options.function.empty() ? function_name(problem) : options.function;
    check_identifier(function);
    const Text text = options.language == "c++" ? text_in_cpp(problem, options, function)
                                                : text_for_gpu(problem, options, function);
    write(text, options);
}

} // namespace

void add_emit(CLI::App& program) {
    auto options = std::make_shared<EmitOptions>();
    CLI::App& command = *program.add_subcommand(
        "emit",
        "Write a transform or a matrix multiplication as a standalone file that needs no swirl, "
        "in C++, or for a GPU in CUDA C++, HIP or OpenCL");
    add_problem_words(command, options->words, "What to write",
                      "  swirl emit dft 64 -o dft64.cpp --header dft64.h\n"
                      "  swirl emit dft 1024 float32 --language cuda --gpu sm_90");
    command
        .add_option("-o,--output", options->file, "File to write (whole or not at all); else standard output")
        ->type_name("FILE");
    command
        .add_option("--header", options->header, "Also write its declaration, for C and C++, to this file")
        ->type_name("FILE");
    command.add_option("--function", options->function, "Name of the function; else made from the problem")
        ->type_name("NAME");
    command
        .add_option("--language", options->language,
                    "c++; for GPUs cuda, hip or opencl, kernels and a function of the host that runs them")
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option(
            "--gpu", options->gpu,
            "In a language for GPUs, choose kernels for generic (compute capability 7.0 and later), sm_80 or "
            "sm_90")
        ->type_name("NAME")
        ->capture_default_str();
    options->planning.add_to(command);
    command.callback([options] { emit(*options); });
}

} // namespace swirl::cli
