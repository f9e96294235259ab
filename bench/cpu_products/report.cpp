#include "bench/cpu_products/report.hpp"

#include "bench/support/words.hpp"
#include "cli/table.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace swirl::bench {
namespace {

using cli::Json;

/// swirl's result in a part for one metric: its weakest call, and the geometric mean.
struct Summary {
    std::string against;
    int calls = 0;
    double geometric_mean = 0, geometric_mean_asked = 0;
    double least = 0, least_asked = 0;
    std::string weakest = {};
};

/// `value_of` a row: nothing if not measured.
template <class ValueOf>
std::optional<Summary> summarize(const Result& result, ValueOf value_of, Summary summary) {
    double logarithms = 0;
    for (const Row& row : result.rows) {
        const std::optional<double> value = value_of(row);
        if (!value) continue;
        logarithms += std::log(*value);
        if (summary.calls++ == 0 || *value < summary.least) {
            summary.least = *value;
            summary.weakest = to_text(row.call);
        }
    }
    if (summary.calls == 0) return std::nullopt;
    summary.geometric_mean = std::exp(logarithms / summary.calls);
    return summary;
}

/// swirl's rate as a fraction of another entry's, whose ratio is relative to swirl.
std::optional<double> part_of(const Row& row, std::string_view name) {
    const Entry* const entry = entry_of(row, name);
    if (entry == nullptr || !row.has_swirl()) return std::nullopt;
    return entry->ratio;
}

/// Multiply-add throughput of all threads over that of one: the number of free processors.
std::optional<double> processors_free(const Row& row) {
    const Entry* const all = entry_of(row, peak_name);
    const Entry* const one = entry_of(row, peak_on_one_name);
    if (all == nullptr || one == nullptr) return std::nullopt;
    return all->gigaflops(all->time.median) / one->gigaflops(one->time.median);
}

std::vector<Summary> summaries_of(const Result& result) {
    std::vector<Summary> all;
    const auto add = [&](std::optional<Summary> summary) {
        if (summary) all.push_back(std::move(*summary));
    };
    for (const Requirement& asked : result.part->requirements)
        add(summarize(result,
                      [&](const Row& row) -> std::optional<double> {
                          const Comparison best = against_best(row, asked.peers);
                          return best.peer.empty() ? std::nullopt : std::optional(best.ratio);
                      },
                      {.against = std::string(asked.opponent),
                       .geometric_mean_asked = asked.geometric_mean,
                       .least_asked = asked.each}));
    add(summarize(result, [](const Row& row) { return part_of(row, peak_name); },
                  {.against = "peak", .least_asked = result.part->of_peak}));
    add(summarize(result, [](const Row& row) { return part_of(row, on_one_name); },
                  {.against = "one thread"}));
    add(summarize(result, processors_free, {.against = "peak, threads over one"}));
    if (result.part->of_own_gemm > 0)
        add(summarize(result, [](const Row& row) { return part_of(row, gemm_name); },
                      {.against = "own gemm", .least_asked = result.part->of_own_gemm}));
    return all;
}

/// An entry's fraction of the peak.
double of_peak(const Row& row, const Entry& entry) {
    const Entry* const peak = entry_of(row, peak_name);
    return peak == nullptr ? 0 : entry.gigaflops(entry.time.median) / peak->gigaflops(peak->time.median);
}

std::string call_table(const std::vector<Result>& results) {
    cli::Table table({"group", "call", "who", "Gflop/s best", "median", "swirl is", "of peak", "error"});
    for (const Result& result : results)
        for (const Row& row : result.rows)
            for (const Entry& entry : row.entries) {
                const bool first = &entry == &row.entries.front();
                table.add({first ? std::string(result.group->name) : "", first ? to_text(row.call) : "",
                           entry.name, fmt::format("{:.2f}", entry.gigaflops(entry.time.minimum)),
                           fmt::format("{:.2f}", entry.gigaflops(entry.time.median)),
                           row.has_swirl() ? fmt::format("{:.2f}", entry.ratio) : "-",
                           cli::format_percent(of_peak(row, entry)), fmt::format("{:.1e}", entry.error)});
            }
    return table.text();
}

std::string summary_table(const std::vector<Result>& results) {
    cli::Table table(
        {"group", "part", "against", "calls", "geometric mean", "asked", "least", "asked ", "where"});
    for (const Result& result : results)
        for (const Summary& s : summaries_of(result))
            table.add({std::string(result.group->name), result.part->name, s.against, std::to_string(s.calls),
                       fmt::format("{:.2f}", s.geometric_mean), at_least(s.geometric_mean_asked),
                       fmt::format("{:.2f}", s.least), at_least(s.least_asked), s.weakest});
    return table.text();
}

Json json_of(const Row& row) {
    Json json{{"call", to_text(row.call)}, {"entries", Json::array()}, {"absent", Json::object()}};
    for (const Entry& entry : row.entries)
        json["entries"].push_back({{"name", entry.name},
                                   {"made_by", entry.made_by},
                                   {"flops", entry.flops},
                                   {"minimum_seconds", rounded(entry.time.minimum)},
                                   {"median_seconds", rounded(entry.time.median)},
                                   {"spread", rounded(entry.time.spread)},
                                   {"rounds", entry.time.samples},
                                   {"swirl_is", row.has_swirl() ? Json(rounded(entry.ratio)) : Json()},
                                   {"of_peak", rounded(of_peak(row, entry))},
                                   {"error", rounded(entry.error)}});
    for (const Absence& absence : row.absences) json["absent"][absence.peer] = absence.reason;
    return json;
}

Json json_of(const Result& result, const Setting& setting) {
    Json json{{"group", result.group->name}, {"what", result.group->what}, {"part", result.part->name},
              {"threads", setting.threads},  {"summary", Json::array()},   {"rows", Json::array()}};
    for (const Summary& s : summaries_of(result))
        json["summary"].push_back({{"against", s.against},
                                   {"calls", s.calls},
                                   {"geometric_mean", rounded(s.geometric_mean)},
                                   {"geometric_mean_asked", s.geometric_mean_asked},
                                   {"least", rounded(s.least)},
                                   {"least_asked", s.least_asked},
                                   {"weakest", s.weakest}});
    for (const Row& row : result.rows) json["rows"].push_back(json_of(row));
    return json;
}

} // namespace

std::string progress_line(const Result& result, const Row& row) {
    std::string line = fmt::format("{} {}:", result.group->name, to_text(row.call));
    for (const Entry& entry : row.entries)
        line += fmt::format(" {} {:.1f}", entry.name, entry.gigaflops(entry.time.median));
    return line + " Gflop/s";
}

std::string tables(const std::vector<Result>& results) {
    return call_table(results) +
           "\n'swirl is': so many times as fast, the median of the ratios within rounds. 'error': the "
           "largest found, over "
           "the sum of absolute values.\n\n" +
           summary_table(results) + "\n" + absence_lines(results);
}

Json to_json(const std::vector<Result>& results, const Setting& setting) {
    Json json{{"benchmark", "cpu_products"},    {"command", setting.command},
              {"date", setting.date},           {"threads", setting.threads},
              {"processor", setting.processor}, {"machine", Json::parse(search::to_json(setting.probe))},
              {"results", Json::array()}};
    for (const Result& result : results) json["results"].push_back(json_of(result, setting));
    return json;
}

} // namespace swirl::bench
