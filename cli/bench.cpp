#include "base/error.hpp"
#include "cli/accuracy.hpp"
#include "cli/bench_output.hpp"
#include "cli/command.hpp"
#include "cli/data.hpp"
#include "cli/floors.hpp"
#include "cli/gpu.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "cli/problems.hpp"
#include "cli/products.hpp"
#include "cli/progress.hpp"
#include "cli/run_record.hpp"
#include "cli/table.hpp"
#include "peers/peer.hpp"
#include "problem/syntax.hpp"
#include "runtime/cpu/affinity.hpp"
#include "runtime/cpu/team.hpp"
#include "search/timer/cpu/timing.hpp"

#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <sstream>

namespace swirl::cli {
namespace {

struct BenchOptions {
    std::vector<std::string> words;
    std::string sizes;
    std::string peers = "fftw-estimate,fftw-patient,pocketfft";
    double seconds = 1;
    std::uint32_t seed = 1;
    bool accuracy = false;
    BenchOutput output;
    PlanningOptions planning;
};

/// One library's entry of a result.
struct Entry {
    std::string name;
    runtime::Measurement time;
    std::optional<Accuracy> error;
};

struct Result {
    Transform problem;
    std::string schedule;
    double flops;
    search::Floors floors;
    std::vector<Entry> entries;                                ///< swirl first
    std::vector<std::pair<std::string, std::string>> absences; ///< peer and reason
};

std::vector<const peers::Peer*> chosen_peers(const BenchOptions& options) {
    return peers::parse_peers("--peers", options.peers);
}

class Benchmark {
public:
    Benchmark(const Transform& problem, const BenchOptions& options, ListProgress& progress)
        : problem_(problem), options_(options), progress_(progress), data_(problem) {}

    Result run() {
        const auto plan = make_plan(problem_, options_.planning);
        add("swirl", [plan, arguments = data_.arguments()] { plan->execute(arguments); });
        Result result{problem_, planning::to_string(plan->schedule()), plan->flops(), floors_of(*plan), {},
                      {}};
        if (plan->threads() > 1) {
            PlanningOptions serial = options_.planning;
            serial.threads = 1;
            serial.schedule = result.schedule;
            add("swirl, one thread", [one = make_plan(problem_, serial), arguments = data_.arguments()] {
                one->execute(arguments);
            });
        }
        for (const peers::Peer* peer : chosen_peers(options_)) {
            peers::PeerPlan planned =
                is_common(problem_)
                    ? peer->plan(problem_, data_.arguments(), {})
                    : peers::PeerPlan{{}, "it has no callbacks, convolutions or 16-bit types"};
            if (planned.run)
                add(std::string(peer->title), std::move(planned.run));
            else
                result.absences.emplace_back(peer->title, planned.absent_because);
        }
        data_.fill(options_.seed); // planning may have overwritten it
        data_.memory().save();
        const auto times = measure();
        for (std::size_t i = 0; i < times.size(); ++i) result.entries.push_back({names_[i], times[i], {}});
        if (options_.accuracy) find_errors(result.entries);
        return result;
    }

private:
    void add(const std::string& name, std::function<void()> run) {
        names_.push_back(name);
        works_.push_back(data_.memory().timed(std::move(run)));
    }

    std::vector<runtime::Measurement> measure() const {
        std::optional<runtime::PinnedThread> pinned;
        if (options_.planning.threads == 1)
            pinned.emplace(); // threads started while pinned would inherit this affinity
        const runtime::FlushDenormals flush;
        runtime::TimingOptions timing;
        timing.budget = options_.seconds / static_cast<double>(works_.size());
        return search::measure_interleaved(works_, timing, {}, progress_.enough_after(options_.seconds));
    }

    void find_errors(std::vector<Entry>& entries) {
        data_.memory().restore();
        const auto expected = expected_output(problem_, data_.elements(Side::input));
        for (std::size_t i = 0; i < entries.size(); ++i) {
            data_.memory().restore();
            works_[i].run();
            entries[i].error = accuracy(problem_, data_.elements(Side::output), expected);
        }
    }

    const Transform& problem_;
    const BenchOptions& options_;
    ListProgress& progress_;
    Data data_;
    std::vector<std::string> names_;
    std::vector<runtime::TimedWork> works_;
};

double gigaflops(const Result& result, const Entry& entry) {
    return search::pseudo_flops(result.problem) / entry.time.median * 1e-9;
}

Json json_of(const Result& result) {
    Json json{{"problem", to_text(result.problem)},
              {"schedule", result.schedule},
              {"flops", result.flops},
              {"pseudo_flops", search::pseudo_flops(result.problem)},
              {"floors", json_of_floors(result.floors)},
              {"entries", Json::array()},
              {"absent", Json::object()}};
    for (const Entry& entry : result.entries) {
        Json item{{"name", entry.name},
                  {"median_seconds", entry.time.median},
                  {"minimum_seconds", entry.time.minimum},
                  {"spread", entry.time.spread},
                  {"samples", entry.time.samples},
                  {"repetitions", entry.time.repetitions},
                  {"pseudo_gflops", gigaflops(result, entry)},
                  {"of_arithmetic_floor", result.floors.arithmetic / entry.time.median},
                  {"of_traffic_floor", result.floors.traffic / entry.time.median},
                  {"time_over_swirl", entry.time.median / result.entries.front().time.median}};
        if (entry.error)
            item["error"] = {{"relative_l2", entry.error->relative}, {"units", entry.error->units}};
        json["entries"].push_back(std::move(item));
    }
    for (const auto& [name, reason] : result.absences) json["absent"][name] = reason;
    return json;
}

void add_rows(Table& table, const Result& result, bool with_errors) {
    const double swirl = result.entries.front().time.median;
    for (const Entry& entry : result.entries) {
        const bool is_first = &entry == &result.entries.front();
        std::vector<std::string> row{is_first ? to_text(result.problem) : "",
                                     entry.name,
                                     format_seconds(entry.time.median),
                                     format_seconds(entry.time.minimum),
                                     format_percent(entry.time.spread),
                                     fmt::format("{:.2f}", gigaflops(result, entry)),
                                     format_percent(result.floors.arithmetic / entry.time.median),
                                     format_percent(result.floors.traffic / entry.time.median),
                                     fmt::format("{:.2f}", entry.time.median / swirl)};
        if (with_errors) row.push_back(entry.error ? fmt::format("{:.2e}", entry.error->relative) : "-");
        table.add(std::move(row));
    }
}

std::string threads_of(const BenchOptions& options) {
    const int threads = options.planning.threads;
    if (threads == 1) return "One thread";
    return fmt::format("swirl on up to {} threads, the others and the floors on one",
                       threads == 0 ? runtime::processors() : threads);
}

/// The machine is left out where measuring it first would take longer than the benchmark.
Json run_of(const BenchOptions& options, const CLI::App& command) {
    const bool has_floors =
        !options.planning.is_for_gpu() && (!is_product(options.words) || !options.output.plot.empty());
    Json run = run_record(command);
    run["seed"] = options.seed;
    run["device"] = options.planning.device;
    run["threads"] = options.planning.threads;
    run["machine"] =
        options.output.wants_document() && has_floors ? machine_record(this_probe()) : Json::object();
    return run;
}

void bench(const BenchOptions& options) {
    std::vector<std::string> header{"problem",  "library",   "median",     "minimum",   "spread",
                                    "pGflop/s", "of arith.", "of traffic", "time/swirl"};
    if (options.accuracy) header.emplace_back("error");
    Table table(header);
    Json results = Json::array();
    std::vector<std::string> absences;
    chosen_peers(options); // reports errors before anything runs
    const std::vector<Transform> problems = parse_problems(options.words, options.sizes);
    ListProgress progress("timing", problems.size());
    for (const Transform& problem : problems) {
        if (!progress.begin(to_text(problem))) break;
        const Result result = Benchmark(problem, options, progress).run();
        results.push_back(json_of(result));
        add_rows(table, result, options.accuracy);
        for (const auto& [name, reason] : result.absences) {
            const std::string line = fmt::format("{}: {}\n", name, reason);
            if (std::find(absences.begin(), absences.end(), line) == absences.end()) absences.push_back(line);
        }
    }
    progress.clear();
    if (options.output.take(Json{{"results", results}})) return;
    print(table.text() + threads_of(options) +
          "; pGflop/s counts 5 n log2 n operations (2.5 for real data); 'of arith.' and 'of "
          "traffic' are the\n"
          "fractions of the time that the floors allow, 100% being the best possible: see swirl plan.\n" +
          fmt::format("{}", fmt::join(absences, "")));
}

} // namespace

void add_bench(CLI::App& program) {
    auto options = std::make_shared<BenchOptions>();
    CLI::App& command = *program.add_subcommand(
        "bench",
        "Time transforms or a matrix multiplication against other libraries, interleaved in the same run");
    add_problem_words(command, options->words, "What to time: one problem or several",
                      "  swirl bench dft 1000\n"
                      "  swirl bench dft n --sizes 64..65536*2 --peers fftw-patient\n"
                      "  swirl bench gemm 500x500x500 float32 --threads 2");
    add_sizes_option(command, options->sizes);
    const CLI::Option* const peers = command
                                         .add_option("--peers", options->peers,
                                                     "Separated by commas: fftw-estimate, fftw-measure, "
                                                     "fftw-patient, fftw, fftw-avx512, mkl, kfr, "
                                                     "pocketfft, none")
                                         ->type_name("NAMES")
                                         ->capture_default_str();
    command.add_option("--seconds", options->seconds, "Time to spend on each problem, planning aside")
        ->type_name("SECONDS")
        ->capture_default_str();
    command.add_flag("--accuracy", options->accuracy,
                     "Also compare the results with a reference in long double");
    command.add_option("--seed", options->seed, "Of the random data")
        ->type_name("NUMBER")
        ->capture_default_str();
    command.add_flag("--json", options->output.json, "Print JSON");
    command
        .add_option("--plot", options->output.plot,
                    "Make a page of the results: charts and tables in one HTML file, as swirl report does")
        ->type_name("FILE.html");
    options->planning.add_to(command);
    options->planning.add_device_to(command);
    command.callback([options, peers, &command] {
        require_page(options->output.plot);
        options->output.run = run_of(*options, command);
        if (is_product(options->words))
            return bench_product(
                parse_product(options->words, options->planning), options->planning,
                {options->seconds, peers->count() > 0 ? options->peers : "openblas,mkl,libxsmm",
                 options->seed, options->output});
        if (options->planning.is_for_gpu() && options->accuracy)
            throw UserError("--accuracy is for CPUs; 'swirl verify --device {}' compares with a reference",
                            options->planning.device);
        if (options->planning.is_for_gpu())
            bench_on_gpu(parse_problems(options->words, options->sizes), options->planning,
                         {options->seconds, options->output});
        else
            bench(*options);
    });
}

} // namespace swirl::cli
