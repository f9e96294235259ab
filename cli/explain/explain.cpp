#include <swirl/matrix_product.hpp>
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/explain/formula.hpp"
#include "cli/explain/gemm.hpp"
#include "cli/explain/map.hpp"
#include "cli/explain/wgmma.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "cli/problems.hpp"
#include "cli/products.hpp"

#include <memory>
#include <utility>

namespace swirl::cli {
namespace {

struct ExplainOptions {
    std::vector<std::string> words;
    PlanningOptions planning;
    std::string svg;
    bool json = false;
    bool has_device = false; ///< else a formula is explained for the CPU, a product for sm_90
};

template <class Explanation>
void say(const ExplainOptions& options, const Explanation& explanation,
         std::string (*map_of)(const Explanation&)) {
    if (!options.svg.empty()) write_file(options.svg, map_of(explanation));
    if (options.json)
        print_json(json_of(explanation));
    else
        print(text_of(explanation));
}

void explain_formula(const Transform& problem, const ExplainOptions& options) {
    if (options.json || !options.svg.empty())
        throw UserError("--json and --svg are for products of matrices; a formula's derivation is text");
    print(text_of_derivation(problem, options.planning));
}

void explain(ExplainOptions options) {
    if (!is_product(options.words)) {
        const Transform problem = parse_one_problem(options.words);
        if (has_formula(problem)) return explain_formula(problem, options);
        throw UserError(
            "'{}' is not explained; a formula is, such as 'formula DFT(8) ⊗ I(4)', or a product of matrices "
            "on a "
            "GPU, such as gemm 1024x1024x1024 float32",
            fmt::join(options.words, " "));
    }
    if (!options.has_device) options.planning.device = "sm_90";
    if (!options.planning.is_for_gpu())
        throw UserError("--device is 'cpu'; kernels of GPUs are explained, such as those of sm_90");
    const MatrixProduct product = parse_product(options.words, options.planning);
    if (is_complex(product.data_type))
        throw UserError("a product of complex numbers is not explained; one of float32 or float64 is");
    if (is_empty(product) || product.k == 0)
        throw UserError("{} has an extent of 0: nothing is multiplied", to_text(product));
    GpuGemmInspection inspection = inspect_gemm_on_gpu(product, options.planning);
    if (gemm::is_wgmma(inspection.schedule)) {
        const WgmmaExplanation explanation = explain_wgmma(product, std::move(inspection));
        return say(options, explanation, tile_map_of);
    }
    say(options, explain_gemm(product, options.planning, std::move(inspection)), thread_map_of);
}

} // namespace

void add_explain(CLI::App& program) {
    auto options = std::make_shared<ExplainOptions>();
    options->planning.no_check = true; // inspected, not run
    CLI::App& command = *program.add_subcommand(
        "explain",
        "Explain how a formula becomes code, or a GPU's kernel of a product of matrices: its decisions, "
        "instructions, traffic and limits");
    command.add_option("problem", options->words, "The formula, or the product: gemm 4096x4096x4096 float32")
        ->type_name("PROBLEM")
        ->required();
    command.add_option("--schedule", options->planning.schedule, "This schedule, not the model's choice")
        ->type_name("SCHEDULE");
    command.add_flag("--json", options->json, "Print JSON");
    command.add_option("--svg", options->svg, "Draw which thread has which elements of a block's tile of C")
        ->type_name("FILE");
    options->planning.add_device_to(command);
    command.callback([options, &command] {
        options->has_device = command.count("--device") > 0;
        explain(*options);
    });
}

} // namespace swirl::cli
