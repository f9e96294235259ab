// Libraries with FFTW's interface, such as FFTW's own and swirl's: how long planning takes, the first time and again, the memory of
// plans, the time of small calls, and problems of the guru interface drawn at random, timed in turns.

#include <swirl-fftw/fftw3.h>
#include <swirl/plan.hpp>

#include "base/error.hpp"
#include "bench/fftw/draw.hpp"
#include "bench/fftw/library.hpp"
#include "bench/support/program.hpp"
#include "bench/support/resident_memory.hpp"
#include "bench/support/rounds.hpp"
#include "cli/geometric_mean.hpp"
#include "runtime/cpu/affinity.hpp"
#include "runtime/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace swirl::bench {
namespace {

struct Options {
    std::vector<std::string> libraries;
    int count = 300;
    int largest = 4096;
    std::uint64_t seed = 1;
    std::vector<int> lengths = {1, 8, 16, 32, 64, 128, 256, 1024, 4096};
    std::string effort = "estimate";
    double seconds = 2;
    int draws = 0;
    std::int64_t most_elements = 1 << 18;
    std::vector<std::string> kinds = {"dft", "r2c", "c2r", "r2r"};
    std::string layouts = "contiguous";
    int core = -1;
    bool kernel_cache = false;
    bool own = false;
    JsonLines json;
};

const std::map<std::string, unsigned> efforts = {
    {"estimate", FFTW_ESTIMATE}, {"measure", FFTW_MEASURE}, {"patient", FFTW_PATIENT}};
const std::map<std::string, GuruProblem::Kind> kinds = {{"dft", GuruProblem::Kind::dft},
                                                        {"r2c", GuruProblem::Kind::r2c},
                                                        {"c2r", GuruProblem::Kind::c2r},
                                                        {"r2r", GuruProblem::Kind::r2r}};
const std::map<std::string, Layouts> layouts = {{"contiguous", Layouts::contiguous},
                                                {"strided", Layouts::strided}};

struct Data {
    std::vector<double> input, output;
    explicit Data(int n) : input(2 * static_cast<std::size_t>(n)), output(input.size()) {}
    fftw_complex* in() { return reinterpret_cast<fftw_complex*>(input.data()); }
    fftw_complex* out() { return reinterpret_cast<fftw_complex*>(output.data()); }
};

fftw_plan planned(const Library& library, int n, Data& data, unsigned flags = FFTW_ESTIMATE) {
    const fftw_plan plan = library.plan_1d(n, data.in(), data.out(), FFTW_FORWARD, flags);
    if (plan == nullptr) throw UserError("{} has no plan for {} points", library.name, n);
    return plan;
}

/// Planning each length for the first time, and again while the first plan lives. Counts the thread's time on a processor,
/// which other programs disturb less. Then what all of these plans together take of memory.
void time_planning(const Library& library, const std::vector<int>& lengths, Options& options) {
    std::vector<double> first, again;
    std::vector<fftw_plan> alive;
    const double before = resident_mebibytes();
    for (const int n : lengths) {
        Data data(n);
        const double begin = runtime::thread_seconds();
        alive.push_back(planned(library, n, data));
        const double between = runtime::thread_seconds();
        library.destroy(planned(library, n, data));
        again.push_back(runtime::thread_seconds() - between);
        first.push_back(between - begin);
    }
    const double mebibytes = resident_mebibytes() - before;
    for (const fftw_plan plan : alive) library.destroy(plan);
    std::sort(first.begin(), first.end());
    double sum = 0;
    for (const double seconds : first) sum += seconds;
    fmt::print(
        "{:<26} {} first plans: median {:.0f} µs, nine tenths below {:.0f} µs, all {:.2f} s, {:.0f} MiB; "
        "again: "
        "median {:.1f} µs\n",
        library.name, lengths.size(), 1e6 * median_of(first), 1e6 * first[first.size() * 9 / 10], sum,
        mebibytes, 1e6 * median_of(again));
    options.json.write({{"library", library.name},
                        {"plans", lengths.size()},
                        {"first_plan_seconds", median_of(first)},
                        {"mebibytes", mebibytes},
                        {"planned_again_seconds", median_of(again)}});
}

void compare_planning(const std::vector<Library>& libraries, Options& options) {
    std::mt19937_64 random(options.seed);
    std::vector<int> lengths;
    for (int k = 0; k < options.count; ++k)
        lengths.push_back(std::uniform_int_distribution<int>(1, options.largest)(random));
    std::sort(lengths.begin(), lengths.end());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    std::shuffle(lengths.begin(), lengths.end(), random);
    for (const Library& library : libraries) {
        Data data(1);
        library.destroy(planned(library, 1, data)); // what happens once in a process
        time_planning(library, lengths, options);
    }
}

/// The fastest of some batches of calls of `execute`.
template <typename Execute> double seconds_of_a_call(int n, const Execute& execute) {
    constexpr int batches = 200;
    const int calls = std::max(1, 20000 / n);
    double best = 1;
    for (int batch = 0; batch < batches; ++batch) {
        const double begin = runtime::monotonic_seconds();
        for (int call = 0; call < calls; ++call) execute();
        best = std::min(best, (runtime::monotonic_seconds() - begin) / calls);
    }
    return best;
}

double seconds_of_a_call(const Library& library, int n, unsigned flags) {
    Data data(n);
    const fftw_plan plan = planned(library, n, data, flags);
    const double seconds = seconds_of_a_call(n, [&] { library.execute(plan); });
    library.destroy(plan);
    return seconds;
}

/// The same problem through swirl's own interface, by estimate.
double seconds_of_an_own_call(int n) {
    Data data(n);
    const Plan plan = swirl::plan(fmt::format("dft {}", n));
    const std::span input(reinterpret_cast<const std::complex<double>*>(data.input.data()),
                          static_cast<std::size_t>(n));
    const std::span output(reinterpret_cast<std::complex<double>*>(data.output.data()), input.size());
    return seconds_of_a_call(n, [&] { plan.execute(input, output); });
}

void compare_calls(const std::vector<Library>& libraries, Options& options) {
    constexpr const char* own = "swirl's own interface";
    fmt::print("\nnanoseconds of a call, effort {}\n{:>6}", options.effort, "n");
    for (const Library& library : libraries) fmt::print("  {:>24}", library.name);
    if (options.own) fmt::print("  {:>24}", own);
    fmt::print("\n");
    const auto show = [&](const std::string& name, int n, double seconds) {
        fmt::print("  {:>24.1f}", 1e9 * seconds);
        options.json.write({{"library", name}, {"n", n}, {"seconds", seconds}});
    };
    for (const int n : options.lengths) {
        fmt::print("{:>6}", n);
        for (const Library& library : libraries)
            show(library.name, n, seconds_of_a_call(library, n, efforts.at(options.effort)));
        if (options.own) show(own, n, seconds_of_an_own_call(n));
        fmt::print("\n");
    }
}

/// One library's arrays and plan of a problem.
class Run {
public:
    Run(const Library& library, const GuruProblem& problem, unsigned flags)
        : library_(library),
          input_(std::max(problem.reals(true), problem.in_place ? problem.reals(false) : 0)),
          output_(problem.in_place ? 0 : problem.reals(false)) {
        auto* const ri = input_.data();
        auto* const ro = problem.in_place ? ri : output_.data();
        auto* const ci = reinterpret_cast<fftw_complex*>(ri);
        auto* const co = reinterpret_cast<fftw_complex*>(ro);
        const auto rank = static_cast<int>(problem.dimensions.size()),
                   ranks = static_cast<int>(problem.loops.size());
        const auto *const n = problem.dimensions.data(), *const loops = problem.loops.data();
        switch (problem.kind) {
        case GuruProblem::Kind::dft:
            plan_ = library.plan_dft(rank, n, ranks, loops, ci, co, problem.sign, flags);
            break;
        case GuruProblem::Kind::r2c: plan_ = library.plan_r2c(rank, n, ranks, loops, ri, co, flags); break;
        case GuruProblem::Kind::c2r: plan_ = library.plan_c2r(rank, n, ranks, loops, ci, ro, flags); break;
        case GuruProblem::Kind::r2r:
            plan_ = library.plan_r2r(rank, n, ranks, loops, ri, ro, problem.kinds.data(), flags);
            break;
        }
        if (plan_ == nullptr) throw UserError("{} has no plan for '{}'", library.name, problem.text());
    }
    ~Run() { library_.destroy(plan_); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void fill() {
        std::mt19937_64 random(1);
        for (double& value : input_) value = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
        std::fill(output_.begin(), output_.end(), 0.0);
    }
    void execute() { library_.execute(plan_); }
    const std::vector<double>& result() const { return output_.empty() ? input_ : output_; }
    /// In place, results would grow without bound.
    runtime::TimedWork timed() {
        return {.run = [this] { execute(); },
                .restore = [this] { fill(); },
                .restore_every = output_.empty() ? 16 : 0};
    }

private:
    const Library& library_;
    std::vector<double> input_, output_;
    fftw_plan plan_ = nullptr;
};

/// Of the largest element.
double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i]));
        difference = std::max(difference, std::abs(a[i] - b[i]));
    }
    return largest > 0 ? difference / largest : difference;
}

/// The first library's time over the second's for each problem. c2r is computed of spectra that no real data have, of which
/// libraries make different results; so only its times are compared.
void compare_draws(const std::vector<Library>& libraries, Options& options) {
    if (libraries.size() != 2) throw UserError("--draws compares two libraries, not {}", libraries.size());
    std::mt19937_64 random(options.seed);
    std::vector<double> ratios;
    for (int k = 0; k < options.draws; ++k) {
        const std::string& kind = options.kinds[random() % options.kinds.size()];
        const GuruProblem problem =
            draw(random, kinds.at(kind), layouts.at(options.layouts), options.most_elements);
        for (const Library& library : libraries) library.set_time_limit(options.seconds);
        Run first(libraries[0], problem, efforts.at(options.effort)),
            second(libraries[1], problem, FFTW_ESTIMATE);
        for (Run* const run : {&first, &second}) {
            run->fill();
            run->execute();
        }
        if (const double difference = largest_difference(first.result(), second.result());
            problem.kind != GuruProblem::Kind::c2r && !(difference < 1e-12))
            throw UserError("the results of '{}' differ by {:.1e}", problem.text(), difference);
        const std::vector<runtime::TimedWork> works = {first.timed(), second.timed()};
        const Samples samples = run_rounds(works, {.rounds = 15, .seconds = 0.5, .batch = 1e-3});
        const double one = median_of(samples[0]), other = median_of(samples[1]);
        ratios.push_back(one / other);
        fmt::print("{:>8.3f}  {:>10.2f} µs  {}\n", one / other, 1e6 * other, problem.text());
        std::fflush(stdout);
        options.json.write({{"problem", problem.text()}, {"seconds", {one, other}}});
    }
    std::sort(ratios.begin(), ratios.end());
    const auto slower = std::lower_bound(ratios.begin(), ratios.end(), 0.95) - ratios.begin();
    fmt::print(
        "time of {} ({}) over that of {} (estimate), {} draws with seed {}: geometric mean {:.2f}, a "
        "twentieth below "
        "{:.2f}, {} below 0.95, least {:.2f}\n",
        libraries[0].name, options.effort, libraries[1].name, ratios.size(), options.seed,
        cli::geometric_mean(ratios), ratios[ratios.size() / 20], slower, ratios.front());
}

int run(Options& options) {
    if (!options.kernel_cache) setenv("SWIRL_KERNEL_CACHE", "off", 1);
    const std::vector<Library> libraries(options.libraries.begin(), options.libraries.end());
    std::optional<runtime::PinnedThread> pinned;
    if (options.core >= 0) pinned.emplace(options.core);
    if (options.draws > 0) {
        compare_draws(libraries, options);
        return 0;
    }
    compare_planning(libraries, options);
    compare_calls(libraries, options);
    return 0;
}

void add_options(CLI::App& program, Options& options) {
    const auto names_of = [](const auto& named) {
        std::vector<std::string> names;
        for (const auto& [name, value] : named) names.push_back(name);
        return CLI::IsMember(names);
    };
    program
        .add_option("libraries", options.libraries,
                    "Files of libraries, such as build/release/swirl-fftw/libfftw3.so.3")
        ->required();
    program.add_option("--count", options.count, "Lengths that are drawn to be planned")
        ->check(CLI::PositiveNumber);
    program.add_option("--largest", options.largest, "The largest of them")->check(CLI::PositiveNumber);
    program.add_option("--seed", options.seed, "The same seed draws the same lengths and problems");
    program.add_option("--lengths", options.lengths, "Lengths whose calls are timed")->delimiter(',');
    program.add_option("--draws", options.draws, "Instead, compare two libraries on so many drawn problems")
        ->check(CLI::NonNegativeNumber);
    program.add_option("--kinds", options.kinds, "Kinds that are drawn")
        ->delimiter(',')
        ->check(names_of(kinds));
    program.add_option("--layouts", options.layouts, "Layouts that are drawn")->check(names_of(layouts));
    program.add_option("--elements", options.most_elements, "The most elements of a drawn problem")
        ->check(CLI::Range(std::int64_t{16}, std::int64_t{1} << 28));
    program
        .add_option(
            "--effort", options.effort,
            "How calls are planned; of drawn problems, how the first library plans, and the second estimates")
        ->check(names_of(efforts));
    program.add_option("--seconds", options.seconds, "Time limit of planning a drawn problem")
        ->check(CLI::PositiveNumber);
    program.add_option("--core", options.core, "Stay on this processor");
    program.add_flag("--kernel-cache", options.kernel_cache,
                     "Let swirl load plans that an earlier process compiled");
    program.add_flag("--own", options.own, "Also time calls through swirl's own interface");
    options.json.add_to(program);
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    Options options;
    return main_of({.description = "Planning and calls of libraries with FFTW's interface, in double",
                    .add_options = [&](CLI::App& program) { add_options(program, options); },
                    .run = [&](const std::string&) { return run(options); }},
                   count, values);
}
