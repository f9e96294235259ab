// GEMM on a GPU against cuBLAS, in the same run: part of `make bench-gpu`.

#include "base/error.hpp"
#include "bench/gpu_products/report.hpp"
#include "peers/cublas.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>

namespace swirl::bench {
namespace {

constexpr double mebibyte = 1 << 20;

struct Arguments {
    std::string groups;
    std::string only;
    std::vector<std::string> products;
    std::vector<std::string> schedules;
    std::size_t candidates = 0;
    double volume = 512;
    double seconds = search::InterleavedTimingOptions{}.seconds;
    int device = 0;
    bool from_memory = false;
    bool no_compare = false;
    bool no_cache = false;
    bool list = false;
    std::size_t soak = 0;
    std::string json;
};

void add_options(CLI::App& program, Arguments& arguments) {
    program.add_option("--group", arguments.groups, "Groups of rows, separated by commas; all unless given");
    program.add_option("--only", arguments.only,
                       "Of these only products in which this regular expression is found");
    program.add_option("--product", arguments.products,
                       "In place of groups: this product, such as 'sgemm NT 500x600x700 batch=3'; may be "
                       "given again");
    program.add_flag("--from-memory", arguments.from_memory,
                     "Take operands of --product in turn, so that no cache serves them");
    program.add_option("--schedule", arguments.schedules,
                       "How swirl computes it, in place of its choice; given again, schedules are ranked");
    program.add_option("--candidates", arguments.candidates,
                       "This many schedules that swirl's model thinks best, timed and ranked");
    program
        .add_option("--volume", arguments.volume,
                    "MiB of operands that come from memory, all sets of them; of a copy on a side")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_option("--seconds", arguments.seconds, "Of the GPU's time for all samples of a row, roughly")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    program.add_option("--device", arguments.device, "Which GPU, as CUDA counts them")->capture_default_str();
    program.add_flag("--no-compare", arguments.no_compare, "Compare no results with exact ones");
    program.add_option(
        "--soak", arguments.soak,
        "Execute each schedule so often and compare all of C with the first one's, bit for bit");
    program.add_flag("--no-cache", arguments.no_cache, "Compile kernels anew that are on disk");
    program.add_flag("--list", arguments.list, "Print the rows and their goals, and measure nothing");
    program.add_option("--json", arguments.json, "Write results to this file, after each row");
}

std::vector<Group> chosen_groups(const Arguments& arguments) {
    std::vector<Group> chosen = parse_groups("--group", arguments.groups);
    if (!arguments.products.empty()) {
        chosen = {{"own", "given products", Measure::ratio, {}}};
        for (const std::string& text : arguments.products)
            chosen[0].rows.push_back({peers::parse_gpu_matrix_call(text), 0, 0, arguments.from_memory});
    }
    const std::regex only = parse_only(arguments.only);
    for (Group& group : chosen)
        std::erase_if(group.rows,
                      [&](const Row& row) { return !std::regex_search(to_text(row.call), only); });
    std::erase_if(chosen, [](const Group& group) { return group.rows.empty(); });
    if (chosen.empty()) throw UserError("--only '{}' leaves no product; --list prints all", arguments.only);
    if (!arguments.schedules.empty() && arguments.candidates > 0)
        throw UserError("--schedule and --candidates both say what to time; use one of them");
    return chosen;
}

void print_list(const std::vector<Group>& groups) {
    for (const Group& group : groups) {
        fmt::print("{}: {} ({})\n", group.name, group.what, word(group.measure));
        for (const Row& row : group.rows)
            fmt::print("  {:<36} {:g}{}{}\n", to_text(row.call), row.goal,
                       row.copy_goal > 0 ? fmt::format(", {:g} of copy", row.copy_goal) : "",
                       row.from_memory ? ", from memory" : "");
    }
}

/// 0, or 1 if results are wrong.
int run(const Arguments& arguments, std::string command) {
    const std::vector<Group> groups = chosen_groups(arguments);
    if (arguments.list) {
        print_list(groups);
        return 0;
    }
    const runtime::GpuDevice device(arguments.device);
    Setting setting{{setting_now(std::move(command), device.properties().name, device.driver())}};
    setting.bytes = static_cast<std::size_t>(arguments.volume * mebibyte);
    setting.seconds = arguments.seconds;
    const std::string no_cublas = peers::cublas_absent_because();
    setting.cublas = no_cublas.empty() ? peers::cublas_version() : "no cuBLAS: " + no_cublas;
    Options options{.schedules = arguments.schedules,
                    .candidates = arguments.candidates,
                    .bytes = setting.bytes,
                    .use_cache = !arguments.no_cache,
                    .compare = !arguments.no_compare,
                    .soak = arguments.soak};
    options.timing.seconds = arguments.seconds;
    print_now(fmt::format("{}; driver {}; {}\n", setting.gpu, setting.driver, setting.cublas));
    Measurements measurements(device, options);
    setting.copy_bandwidth = measurements.copy_bandwidth();
    print_now(fmt::format("copy {:.0f} GB/s\n", setting.copy_bandwidth * 1e-9));
    std::vector<Result> results;
    int wrong = 0;
    for (const Group& group : groups)
        for (const Row& row : group.rows) {
            results.push_back(measurements.measure(group, row));
            print_now(progress_line(results.back(), setting));
            for (const Entry& entry : results.back().entries)
                wrong += is_wrong(results.back(), entry) ? 1 : 0;
            if (!arguments.json.empty())
                cli::write_file(arguments.json, to_json(results, setting).dump(1) + "\n");
        }
    print_now(summary(results, setting));
    if (wrong > 0) std::fprintf(stderr, "bench_gpu_products: %d results are wrong\n", wrong);
    return wrong > 0 ? 1 : 0;
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    CLI::App program("Times products of matrices on a GPU beside cuBLAS, in turn and in the same run.");
    Arguments arguments;
    add_options(program, arguments);
    return run_program(count, values, "bench_gpu_products", program,
                       [&](std::string command) { return run(arguments, std::move(command)); });
}
