// GEMM on the CPU against other libraries, in the same run: part of `make bench`.

#include "base/error.hpp"
#include "bench/cpu_products/report.hpp"
#include "runtime/cpu/affinity.hpp"

#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace swirl::bench {
namespace {

/// OpenBLAS's threads spin for 2^26 cycles (its THREAD_TIMEOUT), those of swirl and OpenMP for less.
constexpr double spinning_seconds = 0.035;

struct Arguments {
    std::string groups;
    std::string only;
    std::string peers =
        "openblas,openblas-avx512,blis,mkl,mkl-jit,onednn,onednn-matmul,onednn-packed,libxsmm";
    int rounds = RoundOptions{}.rounds;
    double seconds = RoundOptions{}.seconds;
    double batch = RoundOptions{}.batch;
    int core = -1;
    int threads = 1;
    std::string json;
};

void add_options(CLI::App& program, Arguments& arguments) {
    std::vector<std::string> defaults;
    for (const Group& group : groups())
        if (group.cpu.empty()) defaults.emplace_back(group.name);
    arguments.groups = fmt::format("{}", fmt::join(defaults, ","));
    program.add_option("--group", arguments.groups, "Groups of calls, separated by commas; avx2 runs alone")
        ->capture_default_str();
    program.add_option("--only,--filter", arguments.only,
                       "Of these groups only the calls that contain this text, such as 'dgemm 10'");
    program.add_option("--peers", arguments.peers, "Other libraries, separated by commas, or none")
        ->capture_default_str();
    program.add_option("--rounds", arguments.rounds, "Batches of each contender")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_option("--seconds", arguments.seconds, "For all rounds of a call, at most, roughly")
        ->capture_default_str();
    program
        .add_option("--batch", arguments.batch, "Seconds that a contender runs in each round, at least once")
        ->capture_default_str();
    program.add_option("--core", arguments.core, "Processor to run on; -1: where the program starts")
        ->capture_default_str();
    program.add_option("--threads", arguments.threads, "Of each contender that has them")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_option("--json", arguments.json, "Write results to this file, after each call");
}

class Run {
public:
    Run(const Arguments& arguments, std::string command)
        : arguments_(arguments), chosen_(parse_groups("--group", arguments.groups)) {
        restrict_instructions();
        setting_.command = std::move(command);
        setting_.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
        setting_.threads = arguments.threads;
        options_.peers = peers::parse_matrix_peers("--peers", arguments.peers);
        options_.threads = arguments.threads;
        options_.rounds.rounds = arguments.rounds;
        options_.rounds.min_rounds = std::min(arguments.rounds, RoundOptions{}.min_rounds);
        options_.rounds.seconds = arguments.seconds;
        options_.rounds.batch = arguments.batch;
        options_.rounds.on_one_thread = arguments.threads == 1;
        if (arguments.threads > 1) options_.rounds.pause = spinning_seconds;
    }

    void run() {
        std::optional<runtime::PinnedThread> pinned;
        if (arguments_.threads == 1) pinned.emplace(arguments_.core);
        if (pinned && pinned->is_pinned()) setting_.processor = runtime::allowed_processors().front();
        setting_.probe = search::probe();
        std::fputs(search::to_table(setting_.probe).c_str(), stderr);
        const search::ProbeKernels kernels = search::best_probe_kernels();
        for (const Group* group : chosen_)
            for (const Part& part : group->parts) measure_part(*group, part, kernels);
        cli::print(tables(results_));
    }

private:
    /// Libraries select their code path once, when they are loaded.
    void restrict_instructions() const {
        for (const Group* group : chosen_)
            if (group->cpu != chosen_.front()->cpu)
                throw UserError("--group {}: {} is measured by itself, as it restricts other libraries too",
                                arguments_.groups, group->name);
        if (chosen_.empty() || chosen_.front()->cpu != "avx2") return;
        setenv("SWIRL_CPU", "avx2", 1);
        setenv("OPENBLAS_CORETYPE", "Haswell", 1);
        setenv("BLIS_ARCH_TYPE", "3", 1); // haswell
        setenv("MKL_ENABLE_INSTRUCTIONS", "AVX2", 1);
        setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
        setenv("LIBXSMM_TARGET", "hsw", 1);
    }

    void measure_part(const Group& group, const Part& part, const search::ProbeKernels& kernels) {
        Result result{&group, &part, {}};
        for (const peers::MatrixCall& call : part.calls) {
            if (to_text(call).find(arguments_.only) == std::string::npos) continue;
            if (result.rows.empty()) results_.push_back(result);
            result.rows.push_back(measure(call, group, kernels, options_));
            std::fprintf(stderr, "%s\n", progress_line(result, result.rows.back()).c_str());
            results_.back() = result;
            if (!arguments_.json.empty())
                cli::write_file(arguments_.json, to_json(results_, setting_).dump(1) + "\n");
        }
    }

    const Arguments& arguments_;
    std::vector<const Group*> chosen_;
    Options options_;
    Setting setting_;
    std::vector<Result> results_;
};

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    CLI::App program("Times matrix products on the CPU beside other libraries, in turn and in the same run.");
    Arguments arguments;
    add_options(program, arguments);
    CLI11_PARSE(program, count, values);
    std::vector<std::string> words{std::filesystem::path(values[0]).filename()};
    words.insert(words.end(), values + 1, values + count);
    try {
        Run(arguments, fmt::format("{}", fmt::join(words, " "))).run();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_cpu_products: %s\n", error.what());
        return 1;
    }
}
