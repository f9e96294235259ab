// Transforms on a GPU against cuFFT, in the same run: part of `make bench-gpu`.

#include "base/error.hpp"
#include "bench/gpu_transforms/report.hpp"
#include "peers/cufft.hpp"
#include "peers/vkfft.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>

namespace swirl::bench {
namespace {

constexpr double mebibyte = 1 << 20;

struct Arguments {
    std::string groups;
    std::string only;
    std::vector<std::string> problems;
    std::string measure = "of copy";
    std::vector<std::string> schedules;
    std::size_t candidates = 0;
    double volume = 512;
    double seconds = search::InterleavedTimingOptions{}.seconds;
    int device = 0;
    bool no_compare = false;
    bool no_cache = false;
    bool list = false;
    std::string json;
};

void add_options(CLI::App& program, Arguments& arguments) {
    program.add_option("--group", arguments.groups, "Groups of rows, separated by commas; all unless given");
    program.add_option("--only", arguments.only,
                       "Of these only problems in which this regular expression is found");
    program.add_option("--problem", arguments.problems,
                       "In place of groups: this problem; may be given again");
    program
        .add_option("--measure", arguments.measure,
                    "What --problem is measured in: of copy, resident or latency")
        ->check(CLI::IsMember({"of copy", "resident", "latency"}))
        ->capture_default_str();
    program.add_option("--schedule", arguments.schedules,
                       "For a single problem: how swirl computes it; given again, schedules are ranked");
    program.add_option("--candidates", arguments.candidates,
                       "Of each step this many schedules that swirl's model thinks best, timed and ranked");
    program.add_option("--volume", arguments.volume, "MiB on a side that batched rows have")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_option("--seconds", arguments.seconds, "Of the GPU's time for all samples of a row, roughly")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_option("--device", arguments.device, "Which GPU, as CUDA counts them")->capture_default_str();
    program.add_flag("--no-compare", arguments.no_compare, "Compare no results with the definition");
    program.add_flag("--no-cache", arguments.no_cache, "Compile kernels anew that are on disk");
    program.add_flag("--list", arguments.list, "Print the rows and their goals, and measure nothing");
    program.add_option("--json", arguments.json, "Write results to this file, after each row");
}

Measure measure_named(const std::string& name) {
    for (const Measure measure : {Measure::resident, Measure::latency})
        if (name == word(measure)) return measure;
    return Measure::of_copy;
}

std::vector<Group> chosen_groups(const Arguments& arguments) {
    const auto bytes = static_cast<std::size_t>(arguments.volume * mebibyte);
    std::vector<Group> chosen = parse_groups("--group", arguments.groups, bytes);
    if (!arguments.problems.empty()) {
        chosen = {{"own", "given problems", measure_named(arguments.measure), {}}};
        for (const std::string& text : arguments.problems)
            chosen[0].rows.push_back({to_text(parse_transform(text)), 0});
    }
    const std::regex only = parse_only(arguments.only);
    std::size_t rows = 0;
    for (Group& group : chosen) {
        std::erase_if(group.rows, [&](const Row& row) { return !std::regex_search(row.problem, only); });
        rows += group.rows.size();
    }
    std::erase_if(chosen, [](const Group& group) { return group.rows.empty(); });
    if (rows == 0) throw UserError("--only '{}' leaves no problem; --list prints all", arguments.only);
    if (!arguments.schedules.empty() && arguments.candidates > 0)
        throw UserError("--schedule and --candidates both say what to time; use one of them");
    if (!arguments.schedules.empty() && rows != 1)
        throw UserError("--schedule is for a single problem, and {} are chosen; use --problem", rows);
    return chosen;
}

void print_list(const std::vector<Group>& groups) {
    for (const Group& group : groups) {
        fmt::print("{}: {} ({})\n", group.name, group.what, word(group.measure));
        for (const Row& row : group.rows) fmt::print("  {:<56} {:g}\n", row.problem, row.goal);
    }
}

/// 0, or 1 if results are wrong.
int run(const Arguments& arguments, std::string command) {
    const std::vector<Group> groups = chosen_groups(arguments);
    if (arguments.list) {
        print_list(groups);
        return 0;
    }
    setenv("CUDA_CACHE_DISABLE", "1",
           1); // the driver's own cache would bypass compilers
    const runtime::GpuDevice device(arguments.device);
    Setting setting{{setting_now(std::move(command), device.properties().name, device.driver())}};
    setting.bytes = static_cast<std::size_t>(arguments.volume * mebibyte);
    setting.seconds = arguments.seconds;
    const std::string no_cufft = peers::cufft_absent_because(), no_vkfft = peers::vkfft_absent_because();
    setting.cufft = no_cufft.empty() ? peers::cufft_version() : "no cuFFT: " + no_cufft;
    setting.vkfft = no_vkfft.empty() ? peers::vkfft_version() : "no " + no_vkfft;
    Options options{.schedules = arguments.schedules,
                    .candidates = arguments.candidates,
                    .use_cache = !arguments.no_cache,
                    .compare = !arguments.no_compare};
    options.timing.seconds = arguments.seconds;
    print_now(
        fmt::format("{}; driver {}; {}; {}\n", setting.gpu, setting.driver, setting.cufft, setting.vkfft));
    std::optional<Measurements> measurements;
    std::vector<Result> results;
    int wrong = 0;
    for (const Group& group : groups) // planning is the first of them
        for (const Row& row : group.rows) {
            if (group.measure != Measure::planning && !measurements) {
                measurements.emplace(device, groups, setting.bytes, options);
                setting.copy_bandwidth = measurements->copy_bandwidth();
                print_now(fmt::format("copy {:.0f} GB/s\n", setting.copy_bandwidth * 1e-9));
            }
            results.push_back(group.measure == Measure::planning || group.measure == Measure::cached
                                  ? measure_planning(device, options, group, row)
                                  : measurements->measure(group, row));
            print_now(progress_line(results.back(), setting));
            for (const Entry& entry : results.back().entries)
                wrong += is_wrong(results.back(), entry) ? 1 : 0;
            if (!arguments.json.empty())
                cli::write_file(arguments.json, to_json(results, setting).dump(1) + "\n");
        }
    print_now(summary(results, setting));
    if (wrong > 0) std::fprintf(stderr, "bench_gpu_transforms: %d results are wrong\n", wrong);
    return wrong > 0 ? 1 : 0;
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    CLI::App program("Times transforms on a GPU beside cuFFT, in turn and in the same run.");
    Arguments arguments;
    add_options(program, arguments);
    return run_program(count, values, "bench_gpu_transforms", program,
                       [&](std::string command) { return run(arguments, std::move(command)); });
}
