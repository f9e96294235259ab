#include <swirl/matrix_product.hpp>
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/explain/cpu_gemm.hpp"
#include "cli/explain/derivation.hpp"
#include "cli/explain/thread_map.hpp"
#include "cli/explain/transform.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "cli/problems.hpp"
#include "cli/products.hpp"
#include "cli/ranks.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace swirl::cli {
namespace {

struct ExplainOptions {
    std::vector<std::string> words;
    PlanningOptions planning;
    RankOptions ranks;
    std::string svg;
    bool json = false;
    bool full = false;
};

/// An SVG picture of a tile of C.
std::string picture_of(const GemmExplanation& explanation) { return thread_map_of(explanation); }
std::string picture_of(const WgmmaExplanation& explanation) { return tile_map_of(explanation); }

void draw(const GpuGemmExplanation& explanation, const std::string& file) {
    std::visit(
        [&](const auto& kind) {
            if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, BatchedExplanation>)
                throw UserError(
                    "--svg is '{}'; it draws tiles of C, and blocks of a batched schedule have whole "
                    "matrices",
                    file);
            else
                write_file(file, picture_of(kind));
        },
        explanation);
}

void explain_transform(const ExplainOptions& options) {
    if (!options.svg.empty())
        throw UserError("--svg is '{}'; it draws a tile of C, of a matrix multiplication on a GPU",
                        options.svg);
    const Transform problem = parse_one_problem(options.words);
    if (!options.json) return print(derivation_of(problem, options.planning, options.full));
    print_json((options.planning.is_for_gpu() ? derivation_on_gpu(problem, options.planning, options.full)
                                              : derivation_on_cpu(problem, options.planning, options.full))
                   .json);
}

void explain_gpu_gemm(const ExplainOptions& options, const MatrixProduct& product) {
    if (options.full)
        throw UserError("--full is for CPUs and transforms; use swirl show --device {} --stage ir",
                        options.planning.device);
    const GpuGemmExplanation explanation = explain_gemm_on_gpu(product, options.planning);
    if (!options.svg.empty()) draw(explanation, options.svg);
    std::visit(
        [&](const auto& kind) {
            if (options.json)
                print_json(json_of(kind));
            else
                print(text_of(kind));
        },
        explanation);
}

void explain_product(const ExplainOptions& options) {
    const MatrixProduct product = parse_product(options.words, options.planning);
    if (options.planning.is_for_gpu()) return explain_gpu_gemm(options, product);
    if (!options.svg.empty())
        throw UserError("--svg is '{}'; it draws a GPU's tile of C: add --device, such as sm_90",
                        options.svg);
    if (options.json)
        print_json(gemm_derivation_on_cpu_as_json(product, options.planning));
    else
        print(derivation_of(product, options.planning, options.full));
}

} // namespace

void add_explain(CLI::App& program) {
    auto options = std::make_shared<ExplainOptions>();
    CLI::App& command = *program.add_subcommand(
        "explain",
        "Explain how a problem is computed: a transform's formula, rules, loops and their tags, ir and code, "
        "with the "
        "predicted and measured time of each pass; a matrix multiplication's blocks, loops, kernels, traffic "
        "and limits; floors, the estimate, and what was not taken");
    add_problem_words(command, options->words, "A transform or a matrix multiplication, such as dft 4096",
                      "  swirl explain dft 4096\n"
                      "  swirl explain gemm 4096x4096x4096 float32 --device sm_90");
    command.add_flag("--full", options->full, "Print the ir and the code too (not of GEMM on GPUs)");
    command.add_flag("--json", options->json, "Print JSON");
    command
        .add_option("--svg", options->svg,
                    "Of GEMM on a GPU, draw which thread has which elements of a block's tile of C")
        ->type_name("FILE");
    options->planning.add_to(command);
    options->planning.add_device_to(command);
    options->ranks.add_to(command);
    command.callback([options] {
        if (options->ranks.is_given())
            report_ranks(parse_one_problem(options->words), options->ranks, options->planning.schedule,
                         options->json, true);
        else if (is_product(options->words))
            explain_product(*options);
        else
            explain_transform(*options);
    });
}

} // namespace swirl::cli
