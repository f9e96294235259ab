#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/gpu.hpp"
#include "cli/output.hpp"
#include "cli/problem_list.hpp"
#include "cli/problems.hpp"
#include "cli/progress.hpp"
#include "cli/tune/gemm_blocks.hpp"
#include "cli/tune/grid.hpp"
#include "cli/tune/summary.hpp"
#include "cli/tune/tuning.hpp"
#include "problem/data_type.hpp"
#include "problem/syntax.hpp"
#include "runtime/timer.hpp"
#include "search/candidates/cpu/gemm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace swirl::cli {
namespace {

struct TuneOptions {
    ProblemOptions problems;
    bool grid = false;
    bool list = false;
    PlanningOptions planning;
    std::string effort = "measure";
    std::optional<double> seconds;
    double total_seconds = 0; ///< 0: no limit
    std::string output;
    bool again = false;
    bool recheck = false;
    bool compare = true;
    bool json = false;
    bool quiet = false;
    GemmBlocksOptions blocks;
    std::vector<std::string> options_of_blocks; ///< those given that mean nothing for problems
};

/// The data types of "gemm" or "gemm float64", as wisdom names the blocks of products; nothing for problems.
std::optional<std::vector<std::string>> blocks_named(const std::vector<std::string>& words) {
    const std::string text = fmt::format("{}", fmt::join(words, " "));
    if (text == "gemm") return std::vector<std::string>();
    for (const DataType type : search::tuned_types)
        if (text == fmt::format("gemm {}", name_of(type))) return std::vector{std::string(name_of(type))};
    return std::nullopt;
}

Device device_named(const std::string& name) {
    PlanningOptions named;
    named.device = name;
    return named.is_for_gpu() ? Device::gpu(require_index_of_gpu(named)) : Device::cpu();
}

std::vector<ListedProblem> problems_of(const TuneOptions& options, bool on_gpu) {
    std::vector<ListedProblem> problems = options.problems.listed(on_gpu);
    if (options.grid) {
        std::vector<DataType> types = options.problems.data_types();
        if (types.empty()) types = {DataType::float32, DataType::float64};
        constexpr Integer usual_largest = 65536;
        const Integer largest = options.problems.largest > 0 ? options.problems.largest : usual_largest;
        for (Problem& problem : transform_grid(largest, types, on_gpu))
            problems.push_back({std::move(problem)});
    }
    if (problems.empty())
        throw UserError(
            "no problem is given; name one, for example 'dft 1000', or use --problems FILE or --draw "
            "transforms");
    return problems;
}

constexpr double usual_seconds = 1; ///< of a search; long ones take more

void tune_problems(const TuneOptions& options) {
    if (!options.options_of_blocks.empty())
        throw UserError("{} goes with 'swirl tune gemm'", options.options_of_blocks.front());
    if (options.total_seconds < 0)
        throw UserError("--total-seconds is {}; use a positive number", options.total_seconds);
    if (options.seconds && !(*options.seconds >= 0))
        throw UserError("--seconds is {}; use 0 or a positive number", *options.seconds);
    if (!options.output.empty()) setenv("SWIRL_WISDOM", options.output.c_str(), 1);
    const Device device = device_named(options.planning.device);
    const bool is_device_given = options.planning.device != PlanningOptions().device;
    const std::vector<ListedProblem> problems = problems_of(options, device.is_gpu());

    if (options.list) {
        for (const ListedProblem& one : problems) print(to_text(one.problem) + "\n");
        return;
    }

    const double begin = runtime::monotonic_seconds();
    const auto is_late = [&] {
        return options.total_seconds > 0 && runtime::monotonic_seconds() > begin + options.total_seconds;
    };
    ListProgress progress(
        "tuning", problems.size(), !options.quiet,
        options.total_seconds > 0 ? options.total_seconds : std::numeric_limits<double>::infinity());
    std::vector<TunedProblem> tuned;
    for (const ListedProblem& one : problems) {
        if (is_late() || !progress.begin(to_text(one.problem))) break;
        const auto is_enough = progress.enough_after(options.seconds.value_or(usual_seconds));
        TuneSetting setting{.options = options.planning.plan_options(device),
                            .again = options.again,
                            .recheck = options.recheck,
                            .compare = options.compare,
                            .is_interrupted = [&] { return is_enough() || is_late(); }};
        setting.options.effort = options.effort == "exhaustive" ? Effort::exhaustive : Effort::measure;
        setting.options.time_budget_seconds = options.seconds;
        if (!one.device.empty() && !is_device_given) setting.options.device = device_named(one.device);
        if (one.threads > 0) setting.options.threads = one.threads;
        tuned.push_back(tune(one.problem, setting));
        if (options.json) continue;
        progress.clear();
        print(line_of(tuned.back()));
    }
    const TuneSummary summary = summary_of(tuned);
    if (options.json)
        print_json(json_of(tuned, summary));
    else
        print(text_of(summary));
    if (summary.failed > 0) throw ExitStatus{exit_failure};
}

void run(TuneOptions& options) {
    const auto data_types = blocks_named(options.problems.given);
    if (!data_types) return tune_problems(options);
    if (!data_types->empty() && options.blocks.data_types.empty()) options.blocks.data_types = *data_types;
    if (options.seconds) options.blocks.seconds = *options.seconds;
    options.blocks.json = options.json;
    options.blocks.quiet = options.quiet;
    if (!options.output.empty()) setenv("SWIRL_WISDOM", options.output.c_str(), 1);
    tune_gemm_blocks(options.blocks);
}

void add_planning(CLI::App& command, TuneOptions& options) {
    command.add_option("--device", options.planning.device, "cpu, gpu (NVIDIA's; gpu:1 for the second)")
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option("--cpu", options.planning.cpu,
                    "Generate code for avx512, avx2 or sse2, not the best this machine has")
        ->type_name("NAME");
    command
        .add_option("--threads", options.planning.threads,
                    "Threads that may work on one execution; 0 for all processors")
        ->type_name("NUMBER")
        ->capture_default_str();
    command
        .add_option("--effort", options.effort,
                    "measure: the model's likely candidates; exhaustive: everything that applies")
        ->check(CLI::IsMember({"measure", "exhaustive"}))
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option(
            "--seconds", options.seconds,
            "Time for each search, roughly; without this 0.8 for a transform, beyond 65536 entries 3.5, "
            "on a GPU 5, for blocks of products 20")
        ->type_name("SECONDS");
    command
        .add_option("--total-seconds", options.total_seconds,
                    "Time for all; what is found until then is kept, and the next run goes on from there")
        ->type_name("SECONDS");
}

void add_blocks(CLI::App& command, TuneOptions& options) {
    const auto note = [&options](const char* name) {
        return [&options, name](const std::string&) { options.options_of_blocks.emplace_back(name); };
    };
    command
        .add_option("--data-type", options.blocks.data_types,
                    "With gemm: float64, float32, complex128 or complex64; several; else all")
        ->delimiter(',')
        ->type_name("TYPE")
        ->each(note("--data-type"));
    command
        .add_option("--sizes", options.blocks.sizes,
                    "With gemm: extents of square matrices at which the model and the results are compared")
        ->type_name("SIZES")
        ->capture_default_str()
        ->each(note("--sizes"));
    command.add_flag_callback(
        "--no-wisdom",
        [&options] {
            options.blocks.keep = false;
            options.options_of_blocks.emplace_back("--no-wisdom");
        },
        "With gemm: do not keep what is found");
}

} // namespace

void add_tune(CLI::App& program) {
    auto options = std::make_shared<TuneOptions>();
    CLI::App& command = *program.add_subcommand(
        "tune",
        "Search for what is fastest on this machine, for later plans: problems given, logged or drawn");
    options->problems.add_to(command);
    command.add_flag(
        "--grid", options->grid,
        "All complex and real DFTs of lengths to --largest (65536) without prime factors above 7");
    command.add_flag("--list", options->list, "Print the problems, and tune none");
    add_planning(command, *options);
    command
        .add_option("--output", options->output, "The wisdom to write, if not $SWIRL_WISDOM or the usual one")
        ->type_name("FILE");
    command.add_flag("--again", options->again, "Search anew for what wisdom has");
    command.add_flag("--recheck", options->recheck,
                     "Compare what wisdom has with the estimate, and keep the faster");
    command.add_flag("!--no-comparison", options->compare, "Do not time the estimate beside what is found");
    command.add_flag("--json", options->json, "Print JSON");
    command.add_flag("--quiet", options->quiet, "No progress on standard error");
    add_blocks(command, *options);
    command.footer(
        "For example:\n"
        "  swirl tune 'dft 1000' 'gemm 100x100x100 float32'\n"
        "  swirl record -- PROGRAM, then: swirl tune --problems planned.txt\n"
        "  swirl tune --draw transforms --seed 7 --count 100 --device gpu\n"
        "  swirl tune gemm --data-type float64    the blocks of products on this CPU, compared at several "
        "sizes\n"
        "'swirl help plan' says how to write a problem. At the end the regret of the estimate is printed: "
        "the time of\n"
        "the model's choice over that of the best schedule found.");
    command.callback([options] { run(*options); });
}

} // namespace swirl::cli
