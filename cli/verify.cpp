#include "base/error.hpp"
#include "cli/accuracy.hpp"
#include "cli/command.hpp"
#include "cli/data.hpp"
#include "cli/gpu.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "cli/problems.hpp"
#include "cli/products.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "peers/peer.hpp"
#include "plan/check/gpu_problem_data.hpp"
#include "problem/syntax.hpp"

#include <functional>
#include <memory>

namespace swirl::cli {
namespace {

struct VerifyOptions {
    std::vector<std::string> words;
    std::string sizes;
    double tolerance = 3;
    std::uint32_t seed = 1;
    bool json = false;
    bool quiet = false;
    PlanningOptions planning;
};

/// One verified problem.
struct Verdict {
    std::string problem;
    std::string schedule;
    Accuracy error;
    std::optional<Accuracy> fftw;
    bool ok;
};

struct Planned {
    std::string schedule;
    std::function<void(Data&)> transform;
};

Planned planned(const Transform& problem, const VerifyOptions& options) {
    if (!options.planning.is_for_gpu()) {
        const auto plan = make_plan(problem, options.planning);
        return {planning::to_string(plan->schedule()),
                [plan](Data& data) { plan->execute(data.arguments()); }};
    }
    const auto plan = make_gpu_plan(problem, options.planning);
    return {planning::to_string(plan->schedule()), [plan](Data& data) {
                planning::GpuProblemData there(plan->device(), data.memory());
                there.copy_from(data.memory());
                plan->execute(there.arguments(), nullptr);
                there.copy_to(data.memory());
            }};
}

Verdict verify(const Transform& problem, const VerifyOptions& options) {
    const auto [schedule, transform] = planned(problem, options);
    Data data(problem);
    data.fill(options.seed);
    const auto input = data.elements(Side::input);
    const auto expected = data.stored(expected_output(problem, input));
    transform(data);
    const Accuracy error = accuracy(problem, data.elements(Side::output), expected);

    std::optional<Accuracy> fftw_error;
    if (const peers::PeerPlan fftw =
            is_common(problem) ? peers::fftw_estimate.plan(problem, data.arguments(), {}) : peers::PeerPlan{};
        fftw.run) {
        data.fill(options.seed);
        fftw.run();
        fftw_error = accuracy(problem, data.elements(Side::output), expected);
    }
    return {to_text(problem), schedule, error, fftw_error, error.units <= options.tolerance}; // false for NaN
}

Json json_of(const Accuracy& accuracy) {
    return {{"relative_l2", accuracy.relative}, {"units", accuracy.units}};
}

Json json_of(const Verdict& verdict) {
    Json json{{"problem", verdict.problem}, {"schedule", verdict.schedule}, {"ok", verdict.ok}};
    json["error"] = json_of(verdict.error);
    if (verdict.fftw) json["fftw_error"] = json_of(*verdict.fftw);
    return json;
}

void report(const std::vector<Verdict>& verdicts, const VerifyOptions& options) {
    Table table({"problem", "relative error", "units", "FFTW's units", ""});
    Json json{
        {"tolerance", options.tolerance}, {"unit", "epsilon * sqrt(log2 n)"}, {"results", Json::array()}};
    double worst = 0;
    std::size_t wrong = 0;
    for (const Verdict& verdict : verdicts) {
        json["results"].push_back(json_of(verdict));
        if (!verdict.ok) ++wrong;
        if (!(verdict.error.units <= worst)) worst = verdict.error.units;
        if (options.quiet && verdict.ok) continue;
        table.add({verdict.problem, fmt::format("{:.2e}", verdict.error.relative),
                   fmt::format("{:.3f}", verdict.error.units),
                   verdict.fftw ? fmt::format("{:.3f}", verdict.fftw->units) : "-",
                   verdict.ok ? "ok" : "WRONG"});
    }
    if (options.json) {
        print_json(json);
    } else {
        print((options.quiet && wrong == 0 ? "" : table.text()) +
              fmt::format("{} of {} problems within {} units of epsilon*sqrt(log2 n); the worst has {:.3f}\n",
                          verdicts.size() - wrong, verdicts.size(), options.tolerance, worst));
    }
    if (wrong > 0) throw ExitStatus{exit_failure};
}

} // namespace

void add_verify(CLI::App& program) {
    auto options = std::make_shared<VerifyOptions>();
    CLI::App& command = *program.add_subcommand(
        "verify",
        "Run transforms or a matrix multiplication and compare the results with a reference in long double");
    add_problem_words(command, options->words, "What to verify: one problem or several",
                      "  swirl verify dft n --sizes 1..64\n"
                      "  swirl verify rdft 1000 float32 batch=10 --threads 2");
    add_sizes_option(command, options->sizes);
    command
        .add_option("--tolerance", options->tolerance,
                    "Largest error that is right, in units of epsilon*sqrt(log2 n)")
        ->type_name("UNITS")
        ->capture_default_str();
    command.add_option("--seed", options->seed, "Of the random data")
        ->type_name("NUMBER")
        ->capture_default_str();
    command.add_flag("--quiet", options->quiet, "Show only what is wrong, and the summary");
    command.add_flag("--json", options->json, "Print JSON");
    options->planning.add_to(command);
    options->planning.add_device_to(command);
    command.callback([options] {
        if (is_product(options->words))
            return verify_product(parse_product(options->words, options->planning), options->planning,
                                  options->seed, options->tolerance, options->json);
        const std::vector<Transform> problems = parse_problems(options->words, options->sizes);
        ListProgress progress("verifying", problems.size());
        std::vector<Verdict> verdicts;
        for (const Transform& problem : problems) {
            if (!progress.begin(to_text(problem))) break;
            verdicts.push_back(verify(problem, *options));
        }
        progress.clear();
        report(verdicts, *options);
    });
}

} // namespace swirl::cli
