#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/problems.hpp"
#include "cli/products.hpp"
#include "cli/standalone.hpp"

#include <memory>
#include <string>
#include <vector>

namespace swirl::cli {
namespace {

struct EmitOptions {
    std::vector<std::string> words;
    std::string file;
    std::string header;
    SourceRequest request;
};

SourceText text_for(const EmitOptions& options) {
    const SourceRequest& request = options.request;
    if (!is_product(options.words)) return source_of(parse_one_problem(options.words), request);
    PlanningOptions planning = request.planning;
    if (request.language != "c++") planning.device = request.gpu;
    SourceText text = source_of(parse_product(options.words, planning), request);
    if (text.header.empty() && !options.header.empty())
        throw UserError("--header with a product by blocks: its kernels are several functions");
    return text;
}

void emit(const EmitOptions& options) {
    const SourceText text = text_for(options);
    if (!options.header.empty()) write_file(options.header, text.header);
    if (options.file.empty())
        print(text.source);
    else
        write_file(options.file, text.source);
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
    command
        .add_option("--function", options->request.function,
                    "Name of the function; else made from the problem")
        ->type_name("NAME");
    command
        .add_option("--language", options->request.language,
                    "c++; for GPUs cuda, hip or opencl, kernels and a function of the host that runs them")
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option(
            "--gpu", options->request.gpu,
            "In a language for GPUs, choose kernels for generic (compute capability 7.0 and later), sm_80 or "
            "sm_90")
        ->type_name("NAME")
        ->capture_default_str();
    options->request.planning.add_to(command);
    command.callback([options] { emit(*options); });
}

} // namespace swirl::cli
