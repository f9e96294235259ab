// Times swirl and other libraries, interleaved in one process, on given or random problems.

#include "base/error.hpp"
#include "bench/row.hpp"
#include "bench/support/program.hpp"
#include "bench/support/setting.hpp"
#include "cli/run_record.hpp"
#include "peers/matrix_peer.hpp"

#include <swirl/version.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace swirl::bench {
namespace {

struct Arguments {
    ProblemOptions problems;
    JsonLines json;
    std::string device = "cpu", peers = "usual", effort = "estimate", accuracy = "ordinary", label;
    double planning_seconds = 0; ///< 0: the library's default
    bool list = false, kernel_cache = false, no_check = false, forget_fftw_plans = false;
    Options options;
};

const std::map<std::string, Effort> efforts{{"estimate", Effort::estimate},
                                            {"shortlist", Effort::estimate},
                                            {"measure", Effort::measure},
                                            {"exhaustive", Effort::exhaustive}};
const std::map<std::string, Accuracy> accuracies{{"ordinary", Accuracy::ordinary},
                                                 {"ordinary-in-range", Accuracy::ordinary_in_range},
                                                 {"reduced", Accuracy::reduced},
                                                 {"eleven-bits", Accuracy::eleven_bits},
                                                 {"low", Accuracy::low}};

void add_options(CLI::App& program, Arguments& a) {
    swirl::Options& planning = a.options.planning;
    a.problems.add_to(program);
    a.json.add_to(program);
    program.add_flag("--list", a.list, "Print the problems and measure nothing");
    program.add_option("--device", a.device, "cpu, gpu, gpu:1")->capture_default_str();
    program.add_option("--cpu", planning.cpu, "avx2: limits swirl and the peers to AVX2")
        ->check(CLI::IsMember({"avx2"}));
    program.add_option("--peers", a.peers, "Other libraries, separated by commas; usual, none")
        ->capture_default_str();
    program
        .add_option("--effort", a.effort,
                    "How swirl plans; estimate times nothing, shortlist is the default of users")
        ->check(CLI::IsMember(efforts))
        ->capture_default_str();
    program.add_option("--planning-seconds", a.planning_seconds,
                       "Time limit of swirl's search, for each problem");
    program.add_option("--accuracy", a.accuracy, "Required of swirl's products")
        ->check(CLI::IsMember(accuracies))
        ->capture_default_str();
    program
        .add_option("--schedule", a.options.schedules,
                    "Time this schedule of swirl instead of its choice; may be given again")
        ->allow_extra_args(false);
    program.add_option(
        "--candidates", a.options.candidates,
        "Time so many schedules that swirl's model rates best; on CPUs half of them are spread over the "
        "others, for bench_gemm_cost and bench_transform_cost");
    program.add_flag("--kernel-cache", a.kernel_cache, "Let swirl use kernels that were compiled before");
    program.add_flag("--probed", a.options.probed,
                     "On CPUs: plan with what a probe has measured of this machine");
    program.add_flag("--no-check", a.no_check, "Let swirl plan without its check of the result");
    program.add_flag("--no-compare{false}", a.options.compare, "Do not compare results with the definition");
    program.add_option("--lock", a.options.lock,
                       "Processes with the same file time one after the other, and plan at the same time");
    program.add_option("--sample", a.options.sample, "On GPUs: seconds of a sample, at least");
    program
        .add_option("--fftw-seconds", a.options.peers.seconds,
                    "For each planning of FFTW, which then falls back to less patience")
        ->capture_default_str();
    program.add_flag("--forget-fftw-plans", a.forget_fftw_plans,
                     "Plan anew what FFTW planned in earlier runs");
    program.add_option("--rounds", a.options.rounds, "On CPUs: at most so many rounds of each problem")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_option("--seconds", a.options.seconds, "For all rounds of a problem, approximately")
        ->capture_default_str();
    program.add_option("--threads", planning.threads, "Of each library that has them")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_option("--core", a.options.core, "Processor to run on; -1: where the program starts")
        ->capture_default_str();
    program.add_flag("--cold", a.options.cold, "Each execution works on other arrays, which no cache holds");
    program.add_option("--label", a.label, "Name of the run in reports");
}

swirl::Device parse_device(const std::string& text) {
    if (text == "cpu") return swirl::Device::cpu();
    if (text == "gpu") return swirl::Device::gpu();
    if (text.starts_with("gpu:") && text.size() == 5 && text[4] >= '0' && text[4] <= '9')
        return swirl::Device::gpu(text[4] - '0');
    throw UserError("--device is '{}'; use cpu, gpu or gpu:1", text);
}

/// The peers for a kind of problem on a kind of device: the default ones, and others.
struct PeerNames {
    std::vector<std::string> usual, others;
};

PeerNames peer_names(bool on_gpu, bool products) {
    const std::string measured(measured_swirl);
    if (on_gpu && products) return {{"cublas"}, {"cublas-emulated", measured}};
    if (on_gpu) return {{"cufft", "vkfft"}, {measured}};
    PeerNames names{{}, {measured}};
    if (products)
        names.usual = {"openblas", "blis", "aocl-blas", "mkl", "onednn", "libxsmm"};
    else
        names.usual = {"fftw", "fftw-avx512", "aocl-fftw", "mkl", "kfr", "ducc0", "pocketfft"};
    const auto add = [&](std::string_view name) {
        const bool is_usual = std::find(names.usual.begin(), names.usual.end(), name) != names.usual.end();
        if (!is_usual) names.others.emplace_back(name);
    };
    if (products)
        for (const peers::MatrixPeer* peer : peers::all_matrix_peers()) add(peer->name);
    else
        for (const peers::Peer* peer : peers::all_peers()) add(peer->name);
    return names;
}

/// The peers to compare with, for transforms and for products.
struct Peers {
    std::vector<std::string> transforms, products;
    const std::vector<std::string>& for_problem(const Problem& problem) const {
        return std::holds_alternative<MatrixProduct>(problem) ? products : transforms;
    }
};

Peers parse_peers(const std::string& list, bool on_gpu, bool any_products, bool any_transforms) {
    const PeerNames of[2] = {peer_names(on_gpu, false), peer_names(on_gpu, true)};
    Peers peers;
    for (const std::string& name : words_of(list)) {
        if (name == "none") continue;
        if (name == "usual") {
            peers.transforms.insert(peers.transforms.end(), of[0].usual.begin(), of[0].usual.end());
            peers.products.insert(peers.products.end(), of[1].usual.begin(), of[1].usual.end());
            continue;
        }
        std::vector<std::string> known{"none", "usual"};
        bool found = false;
        for (const bool products : {false, true}) {
            if (products ? !any_products : !any_transforms) continue;
            std::vector<std::string> names = of[products].usual;
            names.insert(names.end(), of[products].others.begin(), of[products].others.end());
            known.insert(known.end(), names.begin(), names.end());
            if (std::find(names.begin(), names.end(), name) == names.end()) continue;
            (products ? peers.products : peers.transforms).push_back(name);
            found = true;
        }
        if (!found) throw UserError("--peers has '{}'; use {}", name, fmt::join(known, ", "));
    }
    return peers;
}

/// Libraries select their code once, when they are loaded.
void limit_to_avx2() {
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    setenv("BLIS_ARCH_TYPE", "3", 1); // haswell
    setenv("MKL_ENABLE_INSTRUCTIONS", "AVX2", 1);
    setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
    setenv("LIBXSMM_TARGET", "hsw", 1);
}

void complete(Arguments& a) {
    Options& options = a.options;
    options.planning.device = parse_device(a.device);
    options.planning.effort = efforts.at(a.effort);
    options.planning.accuracy = accuracies.at(a.accuracy);
    // Wisdom in files may be from another version of swirl. A shortlist is timed only where wisdom can keep the winner.
    setenv("SWIRL_WISDOM", ":memory:", 1);
    options.planning.use_wisdom = a.effort == "shortlist" || options.probed;
    options.planning.use_kernel_cache = a.kernel_cache;
    options.planning.check = !a.no_check;
    if (a.planning_seconds > 0) options.planning.time_budget_seconds = a.planning_seconds;
    options.peers.threads = options.planning.threads;
    options.peers.found_plans = peers::peers_folder() / "fftw-plans";
    if (!options.schedules.empty() && options.candidates > 0)
        throw UserError("--schedule and --candidates both say what to time; use one of them");
    if (a.forget_fftw_plans) std::filesystem::remove_all(options.peers.found_plans);
    if (options.planning.cpu == "avx2") limit_to_avx2();
}

cli::Json run_line(const Arguments& a, const std::string& command, const Device& device) {
    return {{"run",
             {{"command", command},
              {"date", cli::date_now()},
              {"swirl", version()},
              {"seed", a.problems.draw.empty() ? cli::Json(nullptr) : cli::Json(a.problems.seed)},
              {"device", a.device},
              {"threads", a.options.planning.threads},
              {"effort", a.effort},
              {"accuracy", a.accuracy},
              {"label", a.label},
              {"machine", device.machine()}}}};
}

int run(Arguments& a, const std::string& command) {
    complete(a);
    const bool on_gpu = a.options.planning.device.is_gpu();
    const std::vector<Problem> problems = a.problems.problems(on_gpu);
    const auto is_product = [](const Problem& one) { return std::holds_alternative<MatrixProduct>(one); };
    const bool any_products = std::any_of(problems.begin(), problems.end(), is_product);
    const bool any_transforms = !std::all_of(problems.begin(), problems.end(), is_product);
    const Peers peers = parse_peers(a.peers, on_gpu, any_products, any_transforms);
    if (a.list) {
        for (const Problem& problem : problems) cli::print(to_text(problem) + "\n");
        return 0;
    }
    const std::unique_ptr<Device> device = on_gpu ? open_gpu(a.options) : open_cpu(a.options);
    const cli::Json head = run_line(a, command, *device);
    a.json.write(head);
    cli::print(fmt::format("{}, seed {}\n", head["run"]["machine"].dump(), head["run"]["seed"].dump()));
    RowWriter to_json;
    std::vector<Row> rows;
    std::size_t wrong = 0;
    for (const Problem& problem : problems) {
        rows.push_back(measure(problem, *device, peers.for_problem(problem), a.options));
        const Row& row = rows.back();
        for (const Entry& entry : row.entries) wrong += entry.is_wrong ? 1 : 0;
        a.json.write(to_json(row));
        cli::print(to_line(row) + "\n");
        std::fflush(stdout);
    }
    cli::print(summary(rows));
    if (wrong > 0) std::fprintf(stderr, "bench: %zu results are wrong\n", wrong);
    return wrong > 0 ? 1 : 0;
}

} // namespace

} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    Arguments arguments;
    return main_of({.description = "Times swirl beside other libraries, in turn and in one process.",
                    .add_options = [&](CLI::App& program) { add_options(program, arguments); },
                    .run = [&](const std::string& command) { return run(arguments, command); }},
                   count, values);
}
