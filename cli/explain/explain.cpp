#include <swirl/matrix_product.hpp>
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/explain/gemm.hpp"
#include "cli/explain/map.hpp"
#include "cli/explain/transform.hpp"
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
    bool full = false;
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

void explain_transform(const ExplainOptions& options) {
    if (options.json || !options.svg.empty())
        throw UserError("--json and --svg go with a product of matrices; a transform's derivation is text");
    const Transform problem = parse_one_problem(options.words);
    print(options.planning.is_for_gpu() ? derivation_on_gpu(problem, options.planning, options.full)
                                        : derivation_on_cpu(problem, options.planning, options.full));
}

void explain_product(const ExplainOptions& options) {
    if (options.full) throw UserError("--full goes with a transform; its derivation has ir");
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
    CLI::App& command =
        *program.add_subcommand("explain",
                                "Explain a transform's derivation: formula, rules, loops and their tags, ir, "
                                "code; or a GPU's kernel of a "
                                "product of matrices: its decisions, instructions, traffic and limits");
    command
        .add_option("problem", options->words,
                    "A transform or a product: dft 4096, gemm 4096x4096x4096 float32")
        ->type_name("PROBLEM")
        ->required();
    command.add_option("--schedule", options->planning.schedule, "This schedule, not the model's choice")
        ->type_name("SCHEDULE");
    command.add_option("--cpu", options->planning.cpu, "The CPU of a transform's code, not this machine's")
        ->type_name("NAME");
    command.add_flag("--full", options->full, "Of a transform, print the ir and the code too");
    command.add_flag("--json", options->json, "Of a product, print JSON");
    command.add_option("--svg", options->svg, "Draw which thread has which elements of a block's tile of C")
        ->type_name("FILE");
    options->planning.add_device_to(command);
    CLI::Option& device = *command.get_option("--device");
    device.description(
        "cpu, gpu (NVIDIA's; gpu:1 for the second), or a kind of GPU; without it cpu for a transform, "
        "sm_90 for a product");
    command.callback([options, &device] {
        if (!is_product(options->words)) return explain_transform(*options);
        if (device.count() == 0) options->planning.device = "sm_90";
        explain_product(*options);
    });
}

} // namespace swirl::cli
