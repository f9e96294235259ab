#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/report/assets.hpp"
#include "cli/report/page.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace swirl::cli {
namespace {

struct ReportOptions {
    std::vector<std::string> files;
    std::vector<std::string> before;
    std::string output = "report.html";
};

void report(const ReportOptions& options) {
    Results results;
    for (const std::string& file : options.files) read_results(file, Age::current, results);
    const std::size_t shown = results.rows.size();
    if (shown == 0 && results.ladders.empty())
        throw UserError("{} has a run, but no problem with its times; was the benchmark stopped?",
                        options.files.front());
    for (const std::string& file : options.before) read_results(file, Age::earlier, results);
    const std::size_t pairs = pair_with_before(results);
    if (!options.before.empty() && pairs == 0)
        throw UserError(
            "--compare {}: none of its problems is among those shown, with the same device, threads, "
            "accuracy and label; name results of the same command",
            options.before.front());
    write_file(options.output, report_page(results));
    std::string text = fmt::format("{}: {} problems", options.output, shown);
    if (!results.ladders.empty()) text += fmt::format(", {} sizes of ladders", results.ladders.size());
    if (!options.before.empty()) text += fmt::format(", {} of them compared with earlier results", pairs);
    if (report_assets().chart_library.empty())
        text += "; as tables only: swirl was built without Chart.js (Debian: libjs-chart.js)";
    print(text + "\n");
}

} // namespace

void add_report(CLI::App& program) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App& command = *program.add_subcommand(
        "report", "Make one HTML page of benchmark results: charts, tables, the plan behind each point");
    command
        .add_option("FILE", options->files,
                    "Results of bench --json FILE, swirl bench --json or swirl ladder --json")
        ->type_name("")
        ->required();
    command
        .add_option(
            "--compare", options->before,
            "Earlier results of the same problems, to show what has changed; may be given several times")
        ->type_name("FILE")
        ->allow_extra_args(false);
    command.add_option("-o,--output", options->output, "The page")->type_name("FILE")->capture_default_str();
    command.footer(
        "For example:\n"
        "  bench --draw transforms --seed 7 --json drawn.jsonl && swirl report drawn.jsonl -o drawn.html\n"
        "  swirl report after.jsonl --compare before.jsonl -o change.html\n"
        "  swirl ladder dft 1024 --json > ladder.json && swirl report ladder.json\n"
        "  swirl bench dft n --sizes 64..4096*2 --plot speed.html     the same page, of this run\n"
        "The page is one file that needs no network: speed by size with floors, a roofline, ratios, "
        "accuracy, ladders.");
    command.callback([options] { report(*options); });
}

} // namespace swirl::cli
