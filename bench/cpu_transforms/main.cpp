// Transforms on the CPU against other libraries, in the same run: the benchmark of `make bench`.

#include "base/error.hpp"
#include "bench/cpu_transforms/against_measure.hpp"
#include "runtime/cpu/affinity.hpp"

#include <swirl/transform.hpp>

#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace swirl::bench {
namespace {

constexpr const char* groups_against_measure = "powers,smooth,real,batched,multidimensional";

struct Arguments {
    std::string groups;
    std::string precisions = "float64,float32";
    std::string only;
    std::string planner = "estimate";
    double swirl_seconds = 5;
    bool against_measured = false;
    bool estimate_against_measure = false;
    std::string peers = "fftw,fftw-avx512,mkl,kfr,pocketfft";
    double fftw_seconds = 20;
    int fftw_plannings = 2;
    bool forget_fftw_plans = false;
    int rounds = RoundOptions{}.rounds;
    double seconds = RoundOptions{}.seconds;
    int core = -1;
    int threads = 1;
    std::string json;
};

void add_options(CLI::App& program, Arguments& arguments) {
    std::vector<std::string> defaults;
    for (const Group& group : groups())
        if (group.cpu.empty()) defaults.emplace_back(group.name);
    arguments.groups = fmt::format("{}", fmt::join(defaults, ","));
    program
        .add_option("--group", arguments.groups, "Groups of problems, separated by commas; avx2 runs alone")
        ->capture_default_str();
    program.add_option("--precision", arguments.precisions, "float64, float32 or both")
        ->capture_default_str();
    program.add_option("--only", arguments.only, "Of these groups only the problems that contain this text");
    program.add_option("--planner", arguments.planner, "How swirl plans: estimate or measure")
        ->check(CLI::IsMember({"estimate", "measure"}))
        ->capture_default_str();
    program.add_option("--swirl-seconds", arguments.swirl_seconds, "For each plan found by measuring")
        ->capture_default_str();
    program.add_flag("--against-measured", arguments.against_measured,
                     "One more contender: swirl with a plan found by measuring");
    program.add_flag(
        "--estimate-against-measure", arguments.estimate_against_measure,
        "Only these two, and what the estimate's plans lose; --group as usual, else those that tell most");
    program.add_option("--peers", arguments.peers, "Other libraries, separated by commas, or none")
        ->capture_default_str();
    program
        .add_option("--fftw-seconds", arguments.fftw_seconds,
                    "For each planning of FFTW, which then falls back to less patience")
        ->capture_default_str();
    program.add_option("--fftw-plannings", arguments.fftw_plannings, "Of which the fastest plan counts")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_flag("--forget-fftw-plans", arguments.forget_fftw_plans,
                     "Plan anew what earlier runs have planned");
    program.add_option("--rounds", arguments.rounds, "Batches of each contender")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_option("--seconds", arguments.seconds, "For all rounds of a problem, at most, roughly")
        ->capture_default_str();
    program.add_option("--core", arguments.core, "Processor to run on; -1: where the program starts")
        ->capture_default_str();
    program.add_option("--threads", arguments.threads, "Of each contender that has them")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_option("--json", arguments.json, "Write results to this file, after each problem");
}

std::vector<DataType> parse_precisions(const std::string& list) {
    std::vector<DataType> result;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
        if (word != "float64" && word != "float32")
            throw UserError("--precision has '{}'; use float64, float32 or both, separated by a comma", word);
        result.push_back(word == "float32" ? DataType::float32 : DataType::float64);
    }
    return result;
}

class Run {
public:
    Run(const Arguments& arguments, std::string command)
        : arguments_(arguments),
          chosen_(parse_groups("--group", arguments.groups)),
          precisions_(parse_precisions(arguments.precisions)) {
        restrict_peers();
        setting_.command = std::move(command);
        setting_.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
        setting_.planner = arguments.planner;
        setting_.threads = arguments.threads;
        setting_.fftw_seconds = arguments.fftw_seconds;
        options_.planning.effort = arguments.planner == "measure" ? Effort::measure : Effort::estimate;
        options_.against_measured = arguments.against_measured;
        options_.planning.time_budget_seconds = arguments.swirl_seconds;
        options_.planning.use_wisdom = false; // it may be from another version of swirl
        options_.planning.cpu = chosen_.front()->cpu;
        options_.planning.threads = arguments.threads;
        options_.peers = peers::parse_peers("--peers", arguments.peers);
        options_.peer_options.seconds = arguments.fftw_seconds;
        options_.peer_options.plannings = arguments.fftw_plannings;
        options_.peer_options.threads = arguments.threads;
        options_.peer_options.found_plans = peers::peers_folder() / "fftw-plans";
        if (arguments.forget_fftw_plans) std::filesystem::remove_all(options_.peer_options.found_plans);
        options_.rounds.rounds = arguments.rounds;
        options_.rounds.min_rounds = std::min(arguments.rounds, RoundOptions{}.min_rounds);
        options_.rounds.seconds = arguments.seconds;
        options_.rounds.on_one_thread = arguments.threads == 1;
    }

    void run() {
        std::optional<runtime::PinnedThread> pinned;
        if (arguments_.threads == 1) pinned.emplace(arguments_.core);
        if (pinned && pinned->is_pinned()) setting_.processor = runtime::allowed_processors().front();
        setting_.probe = search::probe();
        std::fputs(search::to_table(setting_.probe).c_str(), stderr);
        for (const Group* group : chosen_)
            for (const DataType precision : precisions_)
                for (const Part& part : group->parts) measure_part(*group, part, precision);
        cli::print(arguments_.estimate_against_measure ? to_text(against_measure(results_))
                                                       : tables(results_, setting_.probe));
    }

private:
    /// MKL selects its code path once, when it is loaded.
    void restrict_peers() const {
        for (const Group* group : chosen_)
            if (group->cpu != chosen_.front()->cpu)
                throw UserError("--group {}: {} is measured by itself, as it restricts other libraries too",
                                arguments_.groups, group->name);
        if (chosen_.front()->cpu == "avx2") setenv("MKL_ENABLE_INSTRUCTIONS", "AVX2", 1);
    }

    void measure_part(const Group& group, const Part& part, DataType precision) {
        Result result{&group, &part, precision, {}};
        for (const std::string& text : part.problems) {
            Transform problem = swirl::problem(text);
            problem.precision = precision;
            if (to_text(problem).find(arguments_.only) == std::string::npos) continue;
            if (result.rows.empty()) results_.push_back(result);
            result.rows.push_back(measure(problem, options_));
            std::fprintf(stderr, "%s\n", progress_line(result, result.rows.back()).c_str());
            results_.back() = result;
            if (!arguments_.json.empty()) write_json();
        }
    }

    void write_json() const {
        const cli::Json json = arguments_.estimate_against_measure ? to_json(against_measure(results_))
                                                                   : to_json(results_, setting_);
        cli::write_file(arguments_.json, json.dump(1) + "\n");
    }

    const Arguments& arguments_;
    std::vector<const Group*> chosen_;
    std::vector<DataType> precisions_;
    Options options_;
    Setting setting_;
    std::vector<Result> results_;
};

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    CLI::App program("Times transforms on the CPU beside other libraries, in turn and in the same run.");
    Arguments arguments;
    add_options(program, arguments);
    CLI11_PARSE(program, count, values);
    if (arguments.estimate_against_measure) {
        if (program.count("--group") == 0) arguments.groups = groups_against_measure;
        arguments.against_measured = true;
        arguments.planner = "estimate";
        arguments.peers = "none";
    }
    std::vector<std::string> words{std::filesystem::path(values[0]).filename()};
    words.insert(words.end(), values + 1, values + count);
    try {
        Run(arguments, fmt::format("{}", fmt::join(words, " "))).run();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_cpu_transforms: %s\n", error.what());
        return 1;
    }
}
