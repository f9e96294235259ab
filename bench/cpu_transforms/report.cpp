#include "bench/cpu_transforms/report.hpp"

#include "bench/support/words.hpp"
#include "cli/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace swirl::bench {
namespace {

using cli::Json;

const char* word(DataType precision) { return precision == DataType::float32 ? "float32" : "float64"; }

/// An entry's fractions of the machine's peak rates.
struct Parts {
    double of_peak;      ///< pseudo-flops ÷ fused multiply-adds counted as two
    double of_bandwidth; ///< elements read and written once ÷ copy bandwidth of the level that holds them
    std::string level;
};

Parts parts_of(const Row& row, const Entry& entry, const search::HostProbe& probe) {
    const search::Floors floors = search::floors(row.problem, search::pseudo_flops(row.problem), probe);
    return {floors.arithmetic / entry.time.median, floors.traffic / entry.time.median, floors.level};
}

/// Results of a part's problems against an opponent.
struct Summary {
    int problems = 0;
    double geometric_mean = 0;
    double minimum = 0;
    std::string weakest;
};

std::optional<double> ratio_against(const Row& row, const Opponent& opponent) {
    std::optional<double> best;
    for (const std::string_view peer : opponent.peers)
        if (const Entry* const entry = entry_of(row, peer))
            best = best ? std::min(*best, entry->ratio) : entry->ratio;
    return best;
}

std::optional<Summary> summarize(const Result& result, const Opponent& opponent) {
    Summary summary;
    double logarithms = 0;
    for (const Row& row : result.rows) {
        const auto ratio = ratio_against(row, opponent);
        if (!ratio) continue;
        logarithms += std::log(*ratio);
        if (summary.problems++ == 0 || *ratio < summary.minimum) {
            summary.minimum = *ratio;
            summary.weakest = to_text(row.problem);
        }
    }
    if (summary.problems == 0) return std::nullopt;
    summary.geometric_mean = std::exp(logarithms / summary.problems);
    return summary;
}

/// A part's own opponents first, in the order of its requirements, then each peer alone.
std::vector<Opponent> opponents_of(const std::vector<Result>& results) {
    std::vector<Opponent> all = opponents();
    for (const Result& result : results)
        for (const Row& row : result.rows)
            for (std::size_t i = 1; i < row.entries.size(); ++i) {
                const std::string& name = row.entries[i].name;
                const auto is_it = [&](const Opponent& o) {
                    return o.peers.size() == 1 && o.peers[0] == name;
                };
                if (std::none_of(all.begin(), all.end(), is_it)) all.push_back({name, {name}});
            }
    return all;
}

Requirement requirement_of(const Part& part, std::size_t opponent) {
    return opponent < part.requirements.size() ? part.requirements[opponent] : Requirement{};
}

std::string problem_table(const std::vector<Result>& results, const search::HostProbe& probe) {
    cli::Table table({"group", "problem", "library", "best Gflop/s", "median", "time/swirl", "of peak",
                      "of bandwidth", "level", "difference"});
    for (const Result& result : results)
        for (const Row& row : result.rows)
            for (const Entry& entry : row.entries) {
                const bool first = &entry == &row.entries.front();
                const Parts parts = parts_of(row, entry, probe);
                table.add({first ? std::string(result.group->name) : "", first ? to_text(row.problem) : "",
                           entry.name, fmt::format("{:.2f}", gigaflops(row.problem, entry.time.minimum)),
                           fmt::format("{:.2f}", gigaflops(row.problem, entry.time.median)),
                           fmt::format("{:.2f}", entry.ratio), cli::format_percent(parts.of_peak),
                           cli::format_percent(parts.of_bandwidth), parts.level,
                           fmt::format("{:.1e}", entry.difference)});
            }
    return table.text();
}

std::string summary_table(const std::vector<Result>& results) {
    cli::Table table({"group", "precision", "against", "problems", "geometric mean", "asked", "least",
                      "asked ", "weakest"});
    const std::vector<Opponent> all = opponents_of(results);
    for (const Result& result : results)
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto summary = summarize(result, all[i]);
            if (!summary) continue;
            const Requirement asked = requirement_of(*result.part, i);
            table.add({result.part->name, word(result.precision), std::string(all[i].name),
                       std::to_string(summary->problems), fmt::format("{:.2f}", summary->geometric_mean),
                       at_least(asked.geometric_mean), fmt::format("{:.2f}", summary->minimum),
                       at_least(asked.each), summary->weakest});
        }
    return table.text();
}

Json json_of(const Row& row, const search::HostProbe& probe) {
    Json json{{"problem", to_text(row.problem)},
              {"flops", row.flops},
              {"pseudo_flops", rounded(search::pseudo_flops(row.problem))},
              {"level", parts_of(row, row.entries.front(), probe).level},
              {"entries", Json::array()},
              {"absent", Json::object()}};
    for (const Entry& entry : row.entries) {
        const Parts parts = parts_of(row, entry, probe);
        json["entries"].push_back({{"name", entry.name},
                                   {"made_by", entry.made_by},
                                   {"planning_seconds", rounded(entry.planning_seconds)},
                                   {"minimum_seconds", rounded(entry.time.minimum)},
                                   {"median_seconds", rounded(entry.time.median)},
                                   {"spread", rounded(entry.time.spread)},
                                   {"rounds", entry.time.samples},
                                   {"time_over_swirl", rounded(entry.ratio)},
                                   {"of_peak", rounded(parts.of_peak)},
                                   {"of_bandwidth", rounded(parts.of_bandwidth)},
                                   {"difference", rounded(entry.difference)}});
    }
    for (const Absence& absence : row.absences) json["absent"][absence.peer] = absence.reason;
    return json;
}

Json json_of(const Result& result, const std::vector<Opponent>& all, const Setting& setting) {
    Json json{{"group", result.group->name}, {"what", result.group->what},
              {"part", result.part->name},   {"precision", word(result.precision)},
              {"threads", setting.threads},  {"summary", Json::array()},
              {"rows", Json::array()}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto summary = summarize(result, all[i]);
        if (!summary) continue;
        const Requirement asked = requirement_of(*result.part, i);
        json["summary"].push_back({{"against", all[i].name},
                                   {"problems", summary->problems},
                                   {"geometric_mean", rounded(summary->geometric_mean)},
                                   {"geometric_mean_asked", asked.geometric_mean},
                                   {"least", rounded(summary->minimum)},
                                   {"least_asked", asked.each},
                                   {"weakest", summary->weakest}});
    }
    for (const Row& row : result.rows) json["rows"].push_back(json_of(row, setting.probe));
    return json;
}

} // namespace

std::string progress_line(const Result& result, const Row& row) {
    const Entry& swirl = row.entries.front();
    std::string line = fmt::format("{} {}: swirl {:.2f} Gflop/s;", result.group->name, to_text(row.problem),
                                   gigaflops(row.problem, swirl.time.median));
    for (std::size_t i = 1; i < row.entries.size(); ++i)
        line += fmt::format(" {} {:.2f}", row.entries[i].name, row.entries[i].ratio);
    return line;
}

std::string tables(const std::vector<Result>& results, const search::HostProbe& probe) {
    return problem_table(results, probe) +
           "\nGflop/s counts 5 n log2 n operations (2.5 for real data); 'time/swirl' is the median of the "
           "ratios within rounds.\n\n" +
           summary_table(results) + "\n" + absence_lines(results);
}

Json to_json(const std::vector<Result>& results, const Setting& setting) {
    Json json{{"benchmark", "cpu_transforms"},
              {"command", setting.command},
              {"date", setting.date},
              {"planner", setting.planner},
              {"processor", setting.processor},
              {"fftw_planning_limit_seconds", setting.fftw_seconds},
              {"machine", Json::parse(search::to_json(setting.probe))},
              {"results", Json::array()}};
    const std::vector<Opponent> all = opponents_of(results);
    for (const Result& result : results) json["results"].push_back(json_of(result, all, setting));
    return json;
}

} // namespace swirl::bench
