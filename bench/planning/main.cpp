// Plans very many problems without running any: reports failures, and plans that take long or much memory. All short
// lengths of every kind and precision, random ones to 2^30, random grids; on CPUs with their target code, on GPUs with
// their PTX. Or compares predicted planning times with measured ones, and fits the prediction.

#include "base/error.hpp"
#include "bench/planning/prediction.hpp"
#include "bench/planning/worker.hpp"
#include "bench/support/program.hpp"
#include "cli/draw.hpp"
#include "rules/number_theory.hpp"
#include "runtime/timer.hpp"
#include "target/cpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <thread>

namespace swirl::bench {
namespace {

struct Options {
    SweepOptions sweep;
    std::string part = "1/1";
    Integer skip = 0;
    std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
    double seconds = 0; ///< 0: until all is done
    double slowest = 2;
    double largest = 200;
    std::vector<std::string> problems;
    std::size_t predictions = 0;
    double factor = 3;
    bool fits = false;
};

/// Error texts that differ only in their digits count as one.
std::string shape_of(const std::string& error) {
    std::string shape;
    for (const char c : error) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit)
            shape += c;
        else if (shape.empty() || shape.back() != '#')
            shape += '#';
    }
    return shape;
}

/// Summary of all plans so far.
class CaseResults {
public:
    explicit CaseResults(const Options& options) : options_(options) {}

    void add(const Case& one, const Planned& planned) {
        ++plans_;
        if (!planned.error.empty())
            report("failed", one, planned, planned.error);
        else if (planned.seconds > options_.slowest)
            report("slow", one, planned, "slow");
        else if (planned.mebibytes > options_.largest)
            report("large", one, planned, "large");
        if (planned.seconds > slowest_.seconds) slowest_ = planned, slowest_case_ = one;
        if (planned.mebibytes > largest_.mebibytes) largest_ = planned, largest_case_ = one;
    }

    void print(Integer cases) const {
        fmt::print("{} of {} plans made; {} failed, took over {:g} s or over {:g} MiB\n", plans_, cases, bad_,
                   options_.slowest, options_.largest);
        for (const auto& [shape, count] : shapes_) fmt::print("{:>8}  {}\n", count, shape);
        if (plans_ == 0) return;
        fmt::print("slowest: {:.2f} s, {}: {}\n", slowest_.seconds, slowest_case_.target,
                   slowest_case_.problem);
        fmt::print("largest: {:.0f} MiB, {}: {}\n", largest_.mebibytes, largest_case_.target,
                   largest_case_.problem);
    }

    bool all_good() const { return bad_ == 0; }

private:
    void report(const char* what, const Case& one, const Planned& planned, const std::string& why) {
        ++bad_;
        ++shapes_[shape_of(why)];
        fmt::print("{}: {}: {}  ({:.2f} s, {:.0f} MiB, tables of the plan {:.0f} MiB)  {}\n", what,
                   one.target, one.problem, planned.seconds, planned.mebibytes, planned.tables,
                   planned.error);
        std::fflush(stdout);
    }

    const Options& options_;
    Integer plans_ = 0, bad_ = 0;
    std::map<std::string, Integer> shapes_;
    Planned slowest_, largest_;
    Case slowest_case_, largest_case_;
};

/// The indices of a part's cases, ordered so that every contiguous range spreads over the whole sweep.
class Order {
public:
    Order(Integer cases, Integer part, Integer parts) : cases_(cases), next_(part), parts_(parts) {
        constexpr double golden_ratio = 0.6180339887;
        step_ = std::max(Integer{1}, static_cast<Integer>(static_cast<double>(cases) * golden_ratio));
        while (std::gcd(step_, std::max(Integer{1}, cases)) != 1) ++step_;
    }
    /// Leaves out the next `count`.
    void skip(Integer count) { next_ += count * parts_; }
    bool take(Integer& index) {
        if (next_ >= cases_) return false;
        index = rules::multiply_modulo(next_, step_, cases_);
        next_ += parts_;
        return true;
    }

private:
    Integer cases_, next_, parts_, step_;
};

Case parse_case(const std::string& text) {
    const std::size_t colon = text.find(": ");
    if (colon == std::string::npos)
        throw UserError("--problem is '{}'; name the machine first, as in 'avx2: dft 1000'", text);
    return {text.substr(0, colon), text.substr(colon + 2)};
}

/// Parses "2/16"; both count from 1.
std::pair<Integer, Integer> parse_part(const std::string& text) {
    Integer part = 0, parts = 0;
    char end = 0;
    if (std::sscanf(text.c_str(), "%ld/%ld%c", &part, &parts, &end) != 2 || part < 1 || part > parts)
        throw UserError("--part is '{}'; say which of how many, as in 2/16", text);
    return {part, parts};
}

void describe(CLI::App& program, Options& options) {
    program.add_option("--seed", options.sweep.seed, "of random problems; default: a random one");
    program.add_option("--cpu", options.sweep.cpus, "CPUs to plan for, or none; default: the host's best")
        ->delimiter(',');
    program.add_option("--gpu", options.sweep.gpus, "GPUs to plan for, or none; default: sm_90")
        ->delimiter(',');
    program.add_option("--lengths", options.sweep.every_length_up_to, "every length up to this")
        ->capture_default_str();
    program
        .add_option("--count", options.sweep.random_lengths,
                    "random lengths up to --longest, on each machine")
        ->capture_default_str();
    program.add_option("--longest", options.sweep.longest, "of random lengths")->capture_default_str();
    program
        .add_option("--grids", options.sweep.random_grids,
                    "random problems of 2 to 4 dimensions, on each machine")
        ->capture_default_str();
    program.add_option("--part", options.part, "which part of how many to do, as in 2/16")
        ->capture_default_str();
    program
        .add_option("--skip", options.skip,
                    "plans of the part that an earlier run with the same seed has made")
        ->check(CLI::NonNegativeNumber);
    program.add_option("--jobs", options.jobs, "plans at a time; default: the processors")
        ->check(CLI::PositiveNumber);
    program.add_option("--seconds", options.seconds,
                       "end after these; what is done is spread over the whole");
    program.add_option("--slowest", options.slowest, "seconds that a plan may take")->capture_default_str();
    program.add_option("--largest", options.largest, "MiB that a plan may take")->capture_default_str();
    program.add_option(
        "--predict", options.predictions,
        "Instead plan so many transforms drawn at random for the host's CPU, with their checks, and "
        "compare the times with those predicted");
    program.add_option("--factor", options.factor, "By which predictions may differ from times")
        ->capture_default_str();
    program.add_flag("--fit", options.fits, "Fit the rates of the prediction to these times");
    program.add_option("--problem", options.problems, "nothing but these: 'avx2: dft 1000'");
}

bool predict(const Options& options) {
    const std::vector<TimedPlanning> timed =
        time_planning(cli::draw({.seed = options.sweep.seed, .count = options.predictions}));
    const std::size_t beyond = print_predictions(timed, planning::fitted_rates(), options.factor);
    if (!options.fits) return beyond == 0;
    const planning::PlanningRates rates = fitted(timed);
    print(rates);
    return print_predictions(timed, rates, options.factor) == 0;
}

bool sweep(const Options& options) {
    const double start = runtime::monotonic_seconds();
    const auto [part, parts] = parse_part(options.part);
    CaseResults results(options);
    std::function<Case(Integer)> at = [&](Integer k) {
        return parse_case(options.problems[static_cast<std::size_t>(k)]);
    };
    auto cases = static_cast<Integer>(options.problems.size());
    const Sweep all(options.sweep);
    if (cases == 0) {
        cases = all.size();
        at = [&](Integer k) { return all[k]; };
        for (const auto* machines : {&options.sweep.cpus, &options.sweep.gpus})
            for (const std::string& target : *machines)
                make_plan({target, "dft 1000"}); // allocates what all plans share
    }
    Order order(cases, part - 1, parts);
    order.skip(options.skip);
    const auto next = [&](Case& one) {
        const double elapsed = runtime::monotonic_seconds() - start;
        Integer index = 0;
        if ((options.seconds > 0 && elapsed > options.seconds) || !order.take(index)) return false;
        one = at(index);
        return true;
    };
    const Bounds bounds{.seconds = 10 * options.slowest, .mebibytes = 20 * options.largest};
    plan_in_processes(options.jobs, bounds, next,
                      [&](const Case& one, const Planned& planned) { results.add(one, planned); });
    results.print(cases);
    return results.all_good();
}

int run(Options& options) {
    const std::vector<std::string> none{"none"};
    if (options.sweep.cpus.empty()) options.sweep.cpus = {std::string(target::host_cpu().name)};
    if (options.sweep.gpus.empty()) options.sweep.gpus = {"sm_90"};
    for (auto* machines : {&options.sweep.cpus, &options.sweep.gpus})
        if (*machines == none) machines->clear();
    fmt::print("seed {}\n", options.sweep.seed);
    return (options.predictions > 0 ? predict(options) : sweep(options)) ? 0 : 1;
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    Options options;
    options.sweep.seed = std::random_device()();
    return main_of({.description = "Makes plans of very many problems and runs none; reports those that "
                                   "fail, take long, or take much "
                                   "memory.",
                    .add_options = [&](CLI::App& program) { describe(program, options); },
                    .run = [&](const std::string&) { return run(options); }},
                   count, values);
}
