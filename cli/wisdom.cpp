#include "search/wisdom/wisdom.hpp"

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/problem_list.hpp"
#include "cli/problems.hpp"
#include "cli/table.hpp"
#include "problem/matrix_product.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/cpu/gemm.hpp"
#include "search/wisdom/shipped_wisdom.hpp"

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <system_error>

namespace swirl::cli {
namespace {

using search::Wisdom;
using search::WisdomEntry;
using search::WisdomKey;

const char* name_of(search::FoundBy found_by) {
    switch (found_by) {
    case search::FoundBy::estimate: return "estimate";
    case search::FoundBy::shortlist: return "shortlist";
    case search::FoundBy::measure: return "measure";
    case search::FoundBy::exhaustive: return "exhaustive";
    }
    return "?";
}

struct WisdomOptions {
    std::string file;
    bool json = false;
    std::string other_file;
    std::vector<std::string> words;
    std::string device;
    bool all = false;
    bool as_shipped = false;
    ProblemOptions problems; ///< to ship

    Wisdom open() const {
        return Wisdom(file.empty() ? Wisdom::default_file() : std::filesystem::path(file));
    }
};

void list(const WisdomOptions& options) {
    Wisdom wisdom = options.open();
    const auto entries = wisdom.entries();
    if (options.json) {
        Json json{{"file", wisdom.file().string()}, {"entries", Json::array()}};
        for (const auto& [key, entry] : entries)
            json["entries"].push_back({{"device", key.device},
                                       {"problem", key.problem},
                                       {"schedule", entry.schedule},
                                       {"seconds", entry.seconds},
                                       {"found_by", name_of(entry.found_by)},
                                       {"created", entry.created},
                                       {"version", entry.version}});
        print_json(json);
        return;
    }
    Table table({"problem", "schedule", "time", "found by", "on", "device"});
    for (const auto& [key, entry] : entries)
        table.add({key.problem, entry.schedule, format_seconds(entry.seconds), name_of(entry.found_by),
                   fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(entry.created))),
                   key.device});
    print((entries.empty() ? "" : table.text()) +
          fmt::format("{} entries in {}\n", entries.size(), wisdom.file().string()));
}

/// The kind of device whose entries are shipped: the one that is named, or the only one.
std::string shipped_kind(const WisdomOptions& options, Wisdom& wisdom) {
    if (!options.device.empty()) {
        const std::string kind = search::device_kind(options.device);
        return kind.empty() ? options.device : kind;
    }
    std::set<std::string> kinds;
    for (const auto& [key, entry] : wisdom.entries()) kinds.insert(search::device_kind(key.device));
    if (kinds.size() != 1)
        throw UserError(
            "the wisdom is of {} kinds of device; name one with --device, as 'swirl wisdom list' does",
            kinds.size());
    return *kinds.begin();
}

/// The entries of the problems that a file lists; without one, all.
std::vector<std::pair<WisdomKey, WisdomEntry>> shipped_entries(const WisdomOptions& options, Wisdom& wisdom) {
    auto entries = wisdom.entries();
    if (options.problems.file.empty()) return entries;
    std::set<std::string> listed;
    for (const ListedProblem& one : options.problems.listed(false)) listed.insert(to_text(one.problem));
    std::erase_if(entries, [&](const auto& entry) { return !listed.contains(entry.first.problem); });
    return entries;
}

void export_lines(const WisdomOptions& options) {
    std::ostringstream lines;
    Wisdom wisdom = options.open();
    if (options.as_shipped)
        search::write_shipped(lines, shipped_kind(options, wisdom), shipped_entries(options, wisdom));
    else
        wisdom.export_lines(lines);
    if (options.other_file.empty())
        print(lines.str());
    else
        write_file(options.other_file, lines.str());
}

void import_lines(const WisdomOptions& options) {
    std::ifstream file;
    if (!options.other_file.empty()) {
        file.open(options.other_file);
        if (!file)
            throw std::system_error(errno, std::generic_category(), "cannot read " + options.other_file);
    }
    const auto imported = options.open().import_lines(options.other_file.empty() ? std::cin : file);
    print(fmt::format("{} entries imported, {} were known as well or better\n", imported.stored,
                      imported.unchanged));
    if (imported.unreadable.empty()) return;
    std::cerr << fmt::format("swirl: these lines are no wisdom: {}\n", fmt::join(imported.unreadable, ", "));
    throw ExitStatus{exit_failure};
}

/// The problem as wisdom names it; "gemm" and a data type stand for products of all extents.
std::string problem_of(const std::vector<std::string>& words) {
    const std::string text = fmt::format("{}", fmt::join(words, " "));
    for (const DataType data_type : search::tuned_types)
        if (text == fmt::format("gemm {}", swirl::name_of(data_type))) return text;
    return to_text(parse_problem(text));
}

void forget(const WisdomOptions& options) {
    const bool one_problem = !options.words.empty();
    if (one_problem + !options.device.empty() + options.all == 0)
        throw UserError("nothing to forget is given; use a PROBLEM, --device NAME, or --all");
    if (one_problem + !options.device.empty() + options.all > 1)
        throw UserError("a PROBLEM, --device and --all exclude each other");
    const std::string problem = one_problem ? problem_of(options.words) : "";
    Wisdom wisdom = options.open();
    Integer erased = 0;
    if (options.all) erased = wisdom.erase_all();
    if (!options.device.empty()) erased = wisdom.erase_device(options.device);
    if (one_problem) erased = wisdom.erase_problem(problem);
    print(fmt::format("{} entries forgotten\n", erased));
}

} // namespace

void add_wisdom(CLI::App& program) {
    auto options = std::make_shared<WisdomOptions>();
    CLI::App& command =
        *program.add_subcommand("wisdom", "List, export, import or forget what measurements have found");
    command.require_subcommand(1);
    command.footer(
        "For example:\n"
        "  swirl wisdom list\n"
        "  swirl wisdom export wisdom.jsonl, and on another machine: swirl wisdom import wisdom.jsonl\n"
        "  swirl wisdom forget dft 1000");
    command
        .add_option("--file", options->file,
                    "The wisdom, if not $SWIRL_WISDOM or the one in the cache directory")
        ->type_name("FILE");

    CLI::App& listing = *command.add_subcommand("list", "Show all entries");
    listing.add_flag("--json", options->json, "Print JSON");
    listing.footer("For example:\n  swirl wisdom list\n  swirl wisdom --file other.sqlite list --json");
    listing.callback([options] { list(*options); });

    CLI::App& exporting = *command.add_subcommand("export", "Write all entries, one JSON object a line");
    exporting.add_option("FILE", options->other_file, "Where to; else standard output")->type_name("");
    exporting.add_flag(
        "--shipped", options->as_shipped,
        "For one kind of device, as a file that swirl ships (data/wisdom) or SWIRL_SHIPPED_WISDOM names");
    exporting
        .add_option("--problems", options->problems.file,
                    "With --shipped: only the problems that this file lists, without those that a search "
                    "timed on its way")
        ->type_name("FILE");
    exporting.add_option("--device", options->device, "With --shipped: the device, as list names it")
        ->type_name("NAME");
    exporting.footer(
        "For example:\n"
        "  swirl wisdom export wisdom.jsonl\n"
        "  swirl wisdom export --shipped --device avx512 --problems planned.txt shipped.txt");
    exporting.callback([options] { export_lines(*options); });

    CLI::App& importing =
        *command.add_subcommand("import", "Read what export wrote; the better of two entries stays");
    importing.add_option("FILE", options->other_file, "Where from; else standard input")->type_name("");
    importing.footer("For example:\n  swirl wisdom import wisdom.jsonl");
    importing.callback([options] { import_lines(*options); });

    CLI::App& erasing = *command.add_subcommand("forget", "Remove entries");
    erasing.add_option("PROBLEM", options->words, "Of one problem, on any device")->type_name("");
    erasing.add_option("--device", options->device, "Of one device, as list names it")->type_name("NAME");
    erasing.add_flag("--all", options->all, "All of them");
    erasing.footer("For example:\n  swirl wisdom forget dft 1000\n  swirl wisdom forget --all");
    erasing.callback([options] { forget(*options); });
}

} // namespace swirl::cli
