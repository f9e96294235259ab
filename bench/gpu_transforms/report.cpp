#include "bench/gpu_transforms/report.hpp"

#include "bench/support/gpu_summary.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace swirl::bench {
namespace {

using cli::Json;

std::string text_of(Measure measure, double figure) {
    switch (measure) {
    case Measure::of_copy:
    case Measure::convolution: return fmt::format("{:.3f}", figure);
    case Measure::resident:
    case Measure::latency: return fmt::format("{:.2f} µs", figure);
    case Measure::planning: return fmt::format("{:.0f} ms", figure);
    case Measure::cached: return fmt::format("{:.2f} ms", figure);
    }
    return "";
}

std::string goal_text(const Result& result) {
    return result.row.goal == 0 ? "none" : fmt::format("{:g}", result.row.goal);
}

std::string entry_text(const Result& result, const Entry& entry, const Setting& setting) {
    const Measure measure = result.group->measure;
    const double figure = figure_of(result, entry, setting.copy_bandwidth);
    std::string text = fmt::format("{} {}", entry.name, text_of(measure, figure));
    if (measure == Measure::of_copy || measure == Measure::convolution)
        text += fmt::format(" {:.1f} µs", entry.seconds() * 1e6);
    if (entry.error)
        text += fmt::format(" err {:.1e}{}", *entry.error, is_wrong(result, entry) ? " WRONG" : "");
    if (entry.name != "swirl" && entry.time_over_swirl > 0)
        text += fmt::format(" x{:.2f}", entry.time_over_swirl);
    return text;
}

Json json_of(const Result& result, const Setting& setting) {
    Json json{{"problem", result.row.problem},
              {"goal", result.row.goal},
              {"bytes", result.bytes},
              {"entries", Json::array()},
              {"absent", Json::object()}};
    for (const Entry& entry : result.entries) {
        const double figure = figure_of(result, entry, setting.copy_bandwidth);
        Json each{{"name", entry.name},
                  {"made_by", entry.made_by},
                  {"figure", json_number(figure)},
                  {"reaches_goal", reaches_goal(result, figure)}};
        each.update(json_of(entry));
        if (entry.error) each["wrong"] = is_wrong(result, entry);
        json["entries"].push_back(std::move(each));
    }
    for (const auto& [name, reason] : result.absent) json["absent"][name] = reason;
    return json;
}

std::string ranking(const Result& result, const Setting& setting) {
    const std::vector<const Entry*> schedules = ranked_entries(result);
    if (schedules.empty()) return "";
    std::string text = "  its schedules, the fastest first\n";
    for (const Entry* each : schedules)
        text += fmt::format(
            "{:>9.2f} µs  {}{}{}  {}\n", each->seconds() * 1e6,
            text_of(result.group->measure, figure_of(result, *each, setting.copy_bandwidth)),
            each->model_seconds > 0 ? fmt::format("  model {:.2f} µs", each->model_seconds * 1e6) : "",
            is_wrong(result, *each) ? " WRONG" : "", each->made_by);
    return text;
}

} // namespace

std::string progress_line(const Result& result, const Setting& setting) {
    std::string line =
        fmt::format("{:<13} {:<44} goal {:<5}", result.group->name, result.row.problem, goal_text(result));
    for (const Entry& entry : result.entries)
        if (entry.name == "swirl" || !is_swirls(entry)) line += "  " + entry_text(result, entry, setting);
    for (const auto& [name, reason] : result.absent) line += fmt::format("  {}: {}", name, reason);
    return line + "\n" + ranking(result, setting);
}

std::string summary(const std::vector<Result>& results, const Setting& setting) {
    return summary_of(results, "problems", [&](const Result& result, GroupCounts& counts) {
        for (const Entry& entry : result.entries) {
            counts.wrong += is_wrong(result, entry) ? 1 : 0;
            counts.faster += entry.name == "cuFFT" && entry.time_over_swirl > 1 ? 1 : 0;
            if (entry.name != "swirl") continue;
            ++counts.planned;
            const double figure = figure_of(result, entry, setting.copy_bandwidth);
            counts.reached += reaches_goal(result, figure) && !is_wrong(result, entry) ? 1 : 0;
        }
    });
}

Json to_json(const std::vector<Result>& results, const Setting& setting) {
    Json json{{"benchmark", "gpu_transforms"},
              {"command", setting.command},
              {"date", setting.date},
              {"gpu", setting.gpu},
              {"driver", setting.driver},
              {"cufft", setting.cufft},
              {"vkfft", setting.vkfft},
              {"copy_bytes_per_second", json_number(setting.copy_bandwidth)},
              {"bytes_on_a_side", setting.bytes},
              {"seconds", setting.seconds},
              {"groups", groups_of(
                             results,
                             [&](const Result& result) {
                                 return Json{{"group", result.group->name},
                                             {"what", result.group->what},
                                             {"measure", word(result.group->measure)}};
                             },
                             [&](const Result& result) { return json_of(result, setting); })}};
    return json;
}

} // namespace swirl::bench
