// Fits the constants of the cost model of GPU kernels to timings: of `bench --device gpu --draw transforms --seed …
// --candidates … --json FILE`, on one machine or several. Prints the model's error and its regret: the time of the candidate
// that it rates best over the time of the fastest, for problems that the fit did not see.

#include "base/error.hpp"
#include "bench/support/fit.hpp"
#include "bench/support/program.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace swirl::bench {
namespace {

using search::GpuKernelFeatures;
using search::GpuModelConstants;

struct Candidate {
    std::vector<GpuKernelFeatures> kernels;
    double seconds;
    bool chosen; ///< by the planner that timed it
};

struct TimedProblem {
    std::string name;
    const target::Gpu* gpu;
    std::vector<Candidate> candidates;
    double least() const {
        return std::min_element(candidates.begin(), candidates.end(),
                                [](const auto& a, const auto& b) { return a.seconds < b.seconds; })
            ->seconds;
    }
};

std::vector<GpuKernelFeatures> features_of(const Transform& problem, const planning::Schedule& schedule,
                                           const target::Gpu& gpu) {
    std::vector<GpuKernelFeatures> kernels;
    for (const auto& pass : search::gpu_kernel_costs(problem, schedule, gpu)) {
        if (!pass) return {};
        for (const search::GpuKernelCost& cost : *pass) kernels.push_back(cost.features);
    }
    return kernels;
}

/// The timed candidates that the model rates, of each transform of the file.
std::vector<TimedProblem> read(const std::string& path) {
    std::vector<TimedProblem> result;
    for (const cli::Json& row : read_json_lines(path)) {
        if (!row.contains("problem")) continue;
        const Problem problem = parse_problem(row["problem"].get<std::string>());
        const auto* const transform = std::get_if<Transform>(&problem);
        if (transform == nullptr) continue;
        TimedProblem timed{row["problem"], nullptr, {}};
        for (const auto& [name, library] : row["libraries"].items()) {
            if (!name.starts_with("swirl") || !library.contains("median")) continue;
            const auto schedule = planning::parse_schedule(library["made_by"].get<std::string>(), problem);
            timed.gpu = &target::gpu_named(schedule.target);
            auto kernels = features_of(*transform, schedule, *timed.gpu);
            if (!kernels.empty())
                timed.candidates.push_back({std::move(kernels), library["median"], name == "swirl"});
        }
        if (timed.candidates.size() > 1) result.push_back(std::move(timed));
    }
    return result;
}

double predicted(const TimedProblem& problem, const Candidate& candidate,
                 const GpuModelConstants& constants) {
    double sum = 0;
    for (const GpuKernelFeatures& kernel : candidate.kernels)
        sum += search::gpu_kernel_seconds(kernel, *problem.gpu, constants);
    return sum;
}

/// Robust squared error of the logarithm, per problem: mostly of candidates relative to each other, and mostly of those
/// near the fastest.
double error_of(std::span<const TimedProblem> problems, const GpuModelConstants& constants) {
    constexpr double nearness = 3, of_ratio = 4, of_value = 0.25, scale = 0.2;
    const auto robust = [](double error) {
        return scale * scale * (std::sqrt(1 + error * error / (scale * scale)) - 1);
    };
    double sum = 0;
    std::vector<std::pair<double, double>> errors; // with weights
    for (const TimedProblem& problem : problems) {
        errors.clear();
        const double least = problem.least();
        double mean = 0, weights = 0;
        for (const Candidate& candidate : problem.candidates) {
            const double weight = std::pow(least / candidate.seconds, nearness);
            errors.emplace_back(std::log(predicted(problem, candidate, constants) / candidate.seconds),
                                weight);
            mean += weight * errors.back().first;
            weights += weight;
        }
        mean /= weights;
        for (const auto& [error, weight] : errors)
            sum += weight / weights * (of_ratio * robust(error - mean) + of_value * robust(error));
    }
    return sum / static_cast<double>(problems.size());
}

struct Constant {
    const char* name;
    double GpuModelConstants::*value;
};
#define SWIRL_CONSTANT(name) \
    Constant { #name, &GpuModelConstants::name }
constexpr Constant all_constants[] = {
    SWIRL_CONSTANT(launch),
    SWIRL_CONSTANT(cached_latency),
    SWIRL_CONSTANT(memory_latency),
    SWIRL_CONSTANT(step_latency),
    SWIRL_CONSTANT(instruction_latency),
    SWIRL_CONSTANT(issue_cycles),
    SWIRL_CONSTANT(bank_cycles),
    SWIRL_CONSTANT(memory_rate),
    SWIRL_CONSTANT(cache_rate),
    SWIRL_CONSTANT(multiprocessor_rate),
    SWIRL_CONSTANT(capacity),
    SWIRL_CONSTANT(sharpness),
    SWIRL_CONSTANT(overlap),
    SWIRL_CONSTANT(overlap_of_blocks),
    SWIRL_CONSTANT(overlap_of_rounds),
    SWIRL_CONSTANT(segment_bytes),
    SWIRL_CONSTANT(spill),
    SWIRL_CONSTANT(spectrum_latency),
    SWIRL_CONSTANT(exchange_latency),
    SWIRL_CONSTANT(exchange),
    SWIRL_CONSTANT(exchange_growth),
    SWIRL_CONSTANT(block_cycles),
    SWIRL_CONSTANT(group_latency),
    SWIRL_CONSTANT(word_latency),
    SWIRL_CONSTANT(table_cache),
    SWIRL_CONSTANT(table_rate),
};
#undef SWIRL_CONSTANT

/// The error, and a little for each constant that is far from where the fit starts: timings that say nothing about a
/// constant leave it there.
double objective(std::span<const TimedProblem> problems, const GpuModelConstants& constants) {
    constexpr double of_distance = 2e-4;
    const GpuModelConstants start;
    double distance = 0;
    for (const Constant& constant : all_constants)
        distance += std::pow(std::log(constants.*constant.value / (start.*constant.value)), 2);
    return error_of(problems, constants) + of_distance * distance;
}

/// Minimizes the objective.
GpuModelConstants fitted(std::span<const TimedProblem> problems, GpuModelConstants constants, int sweeps) {
    std::vector<double*> values;
    for (const Constant& constant : all_constants) values.push_back(&(constants.*constant.value));
    fit(values, 0.3, sweeps, [&] { return objective(problems, constants); });
    return constants;
}

struct Judgement {
    std::vector<double> regrets, errors;
};

/// A candidate, and the model's time for it.
struct Rated {
    const Candidate* candidate;
    double seconds;
};

/// As the model ranks them; candidates with equal predictions keep their order, as when planning.
std::vector<Rated> ranked(const TimedProblem& problem, const GpuModelConstants& constants) {
    std::vector<Rated> result;
    for (const Candidate& candidate : problem.candidates)
        result.push_back({&candidate, predicted(problem, candidate, constants)});
    std::stable_sort(result.begin(), result.end(),
                     [](const Rated& a, const Rated& b) { return a.seconds < b.seconds; });
    return result;
}

/// The fastest of the `count` that the model predicts fastest: for several, what timing them when planning would choose.
void judge(Judgement& judgement, std::span<const TimedProblem> problems, const GpuModelConstants& constants,
           std::size_t count = 1) {
    for (const TimedProblem& problem : problems) {
        const std::vector<Rated> all = ranked(problem, constants);
        double least = all.front().candidate->seconds;
        for (std::size_t k = 0; k < std::min(count, all.size()); ++k)
            least = std::min(least, all[k].candidate->seconds);
        judgement.regrets.push_back(least / problem.least());
        for (const Rated& rated : all)
            judgement.errors.push_back(std::log(rated.seconds / rated.candidate->seconds));
    }
}

/// Each candidate: its time, the model's over its time, and the features of its kernels.
void print_candidates(const TimedProblem& problem) {
    fmt::print("{}\n", problem.name);
    for (const Candidate& candidate : problem.candidates) {
        fmt::print("  {:.3e} s, model {:.3f}\n", candidate.seconds,
                   predicted(problem, candidate, {}) / candidate.seconds);
        for (const GpuKernelFeatures& kernel : candidate.kernels)
            fmt::print(
                "    {:.3e} s: {:.0f} blocks, {:.0f} resident, {:.0f} bytes ({:.2f} by sectors), {:.0f} "
                "steps, {:.0f} instructions, "
                "{:.0f} issued, {:.0f} shared cycles, {:.0f} spilled, cluster {:.0f}, segments {:.5f}, "
                "factors {:.0f}, table {:.0f}, shared {:.0f}\n",
                search::gpu_kernel_seconds(kernel, *problem.gpu, {}), kernel.blocks, kernel.resident_blocks,
                kernel.bytes, kernel.sector_bytes / kernel.bytes, kernel.steps, kernel.instructions,
                kernel.issued, kernel.shared_cycles, kernel.spilled, kernel.cluster, kernel.segments,
                kernel.factor_bytes, kernel.table_bytes, kernel.shared_bytes);
    }
}

/// Of the candidates that were chosen when the timings were made.
void judge_chosen(Judgement& judgement, std::span<const TimedProblem> problems) {
    for (const TimedProblem& problem : problems)
        for (const Candidate& candidate : problem.candidates)
            if (candidate.chosen) judgement.regrets.push_back(candidate.seconds / problem.least());
}

void print(const std::string& name, Judgement judgement) {
    std::vector<double>& regrets = judgement.regrets;
    if (regrets.empty()) return;
    std::sort(regrets.begin(), regrets.end());
    double sum = 0, squares = 0;
    for (const double regret : regrets) sum += std::log(regret);
    for (const double error : judgement.errors) squares += error * error;
    fmt::print("{:<28}{:>9}{:>10.3f}{:>10.3f}{:>10.3f}", name, regrets.size(),
               std::exp(sum / static_cast<double>(regrets.size())),
               regrets[std::min(regrets.size() - 1, regrets.size() * 19 / 20)], regrets.back());
    if (!judgement.errors.empty())
        fmt::print("{:>10.3f}", std::sqrt(squares / static_cast<double>(judgement.errors.size())));
    fmt::print("\n");
}

struct Arguments {
    std::vector<std::string> files, held_out;
    int parts = 4;
    int sweeps = 100;
    bool only_judge = false;
    bool candidates = false;
};

int run(const Arguments& arguments) {
    const auto read_all = [](const std::vector<std::string>& files) {
        std::vector<TimedProblem> all;
        for (const std::string& file : files)
            for (TimedProblem& problem : read(file)) all.push_back(std::move(problem));
        return all;
    };
    const std::vector<TimedProblem> problems = read_all(arguments.files),
                                    others = read_all(arguments.held_out);
    if (problems.empty()) throw UserError("no timed candidates in these files");

    fmt::print("{:<28}{:>9}{:>10}{:>10}{:>10}{:>10}\n", "regret", "problems", "mean", "95%", "largest",
               "error");
    Judgement chosen, present;
    judge_chosen(chosen, problems);
    print("chosen when timed", chosen);
    judge(present, problems, {});
    print("model, present constants", present);
    for (const std::size_t count : {2, 4, 8}) {
        Judgement shortlist;
        judge(shortlist, problems, {}, count);
        print(fmt::format("  fastest of its first {}", count), shortlist);
    }
    if (!others.empty()) {
        Judgement of_others;
        judge(of_others, others, {});
        print("  on the files held out", of_others);
    }
    if (arguments.candidates)
        for (const TimedProblem& problem : problems) print_candidates(problem);
    if (arguments.only_judge) return 0;
    Judgement held_out;
    for (int part = 0; part < arguments.parts; ++part) {
        std::vector<TimedProblem> seen, unseen;
        for (std::size_t k = 0; k < problems.size(); ++k)
            (static_cast<int>(k) % arguments.parts == part ? unseen : seen).push_back(problems[k]);
        if (seen.empty() || unseen.empty()) continue;
        judge(held_out, unseen, fitted(seen, {}, arguments.sweeps));
    }
    print(fmt::format("fitted, {} parts held out", arguments.parts), held_out);
    const GpuModelConstants constants = fitted(problems, {}, arguments.sweeps);
    Judgement fit;
    judge(fit, problems, constants);
    print("fitted", fit);
    if (!others.empty()) {
        Judgement of_others;
        judge(of_others, others, constants);
        print("  on the files held out", of_others);
    }
    for (const Constant& constant : all_constants)
        fmt::print("    double {} = {:.4g};\n", constant.name, constants.*constant.value);
    return 0;
}

void add_options(CLI::App& program, Arguments& arguments) {
    program.add_option("FILE", arguments.files, "Timings, as bench --json writes them")->required();
    program.add_option("--held-out", arguments.held_out,
                       "Timings that the fit must not see, such as another machine's");
    program
        .add_option("--parts", arguments.parts,
                    "Fit so many times without one part of the problems, and judge it by that part")
        ->check(CLI::Range(2, 100))
        ->capture_default_str();
    program.add_option("--sweeps", arguments.sweeps, "Over all constants, in each fit")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_flag("--judge", arguments.only_judge, "Judge the present constants, and fit none");
    program.add_flag("--candidates", arguments.candidates,
                     "Print each candidate with the features of its kernels");
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    Arguments arguments;
    return main_of(
        {.description = "Fits the cost model of GPU kernels to timings by bench --device gpu --candidates.",
         .add_options = [&](CLI::App& program) { add_options(program, arguments); },
         .run = [&](const std::string&) { return run(arguments); }},
        count, values);
}
