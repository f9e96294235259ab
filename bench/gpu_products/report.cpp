#include "bench/gpu_products/report.hpp"

#include "bench/support/gpu_summary.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace swirl::bench {
namespace {

using cli::Json;

std::string goal_text(const Row& row) {
    std::string text = row.goal == 0 ? "none" : fmt::format("{:g}", row.goal);
    if (row.copy_goal > 0) text += fmt::format(" and {:g} of copy", row.copy_goal);
    return text;
}

std::string entry_text(const Result& result, const Entry& entry, const Setting& setting) {
    std::string text = fmt::format("{} {:.4g} {} {:.2f} µs", entry.name, figure_of(result, entry),
                                   unit_of(result), entry.seconds() * 1e6);
    if (result.row.from_memory)
        text += fmt::format(" {:.3f} of copy", fraction_of_copy(result, entry, setting.copy_bandwidth));
    if (entry.error)
        text += fmt::format(" err {:.1e}{}", *entry.error, is_wrong(result, entry) ? " WRONG" : "");
    if (!is_swirls(entry) && entry.time_over_swirl > 0)
        text += fmt::format(" x{:.3f}", entry.time_over_swirl);
    return text;
}

Json json_of(const Result& result, const Setting& setting) {
    Json json{{"product", to_text(result.row.call)},
              {"goal", result.row.goal},
              {"copy_goal", result.row.copy_goal},
              {"from_memory", result.row.from_memory},
              {"flops", result.row.call.flops()},
              {"bytes", result.row.call.bytes()},
              {"hertz", json_number(result.hertz)},
              {"reaches_goal", reaches_goal(result, setting.copy_bandwidth)},
              {"entries", Json::array()},
              {"absent", Json::object()}};
    for (const Entry& entry : result.entries) {
        Json each{{"name", entry.name},
                  {"made_by", entry.made_by},
                  {"figure", json_number(figure_of(result, entry))},
                  {"of_copy", json_number(fraction_of_copy(result, entry, setting.copy_bandwidth))}};
        each.update(json_of(entry));
        if (entry.error) each["wrong"] = is_wrong(result, entry);
        json["entries"].push_back(std::move(each));
    }
    for (const auto& [name, reason] : result.absent) json["absent"][name] = reason;
    return json;
}

std::string ranking(const Result& result) {
    const std::vector<const Entry*> schedules = ranked_entries(result);
    if (schedules.empty()) return "";
    std::string text = "  its schedules, the fastest first\n";
    for (const Entry* each : schedules)
        text += fmt::format("{:>10.2f} µs {:>8.4g} {}  model {:.2f} µs{}  {}\n", each->seconds() * 1e6,
                            figure_of(result, *each), unit_of(result), each->model_seconds * 1e6,
                            is_wrong(result, *each) ? " WRONG" : "", each->made_by);
    return text;
}

} // namespace

std::string progress_line(const Result& result, const Setting& setting) {
    std::string line = fmt::format("{:<9} {:<34} goal {:<5}", result.group->name, to_text(result.row.call),
                                   goal_text(result.row));
    for (const Entry& entry : result.entries)
        if (entry.name == "swirl" || !is_swirls(entry)) line += "  " + entry_text(result, entry, setting);
    if (result.hertz > 0) line += fmt::format("  at {:.0f} MHz", result.hertz * 1e-6);
    for (const auto& [name, reason] : result.absent) line += fmt::format("  {}: {}", name, reason);
    return line + "\n" + ranking(result);
}

std::string summary(const std::vector<Result>& results, const Setting& setting) {
    return summary_of(results, "products", [&](const Result& result, GroupCounts& counts) {
        counts.reached += reaches_goal(result, setting.copy_bandwidth) ? 1 : 0;
        for (const Entry& entry : result.entries) {
            counts.wrong += is_wrong(result, entry) ? 1 : 0;
            counts.planned += entry.name == "swirl" ? 1 : 0;
            counts.faster += entry.name == "cuBLAS" && entry.time_over_swirl > 1 ? 1 : 0;
        }
    });
}

Json to_json(const std::vector<Result>& results, const Setting& setting) {
    Json json{{"benchmark", "gpu_products"},
              {"command", setting.command},
              {"date", setting.date},
              {"gpu", setting.gpu},
              {"driver", setting.driver},
              {"cublas", setting.cublas},
              {"copy_bytes_per_second", json_number(setting.copy_bandwidth)},
              {"bytes_of_all_sets", setting.bytes},
              {"seconds", setting.seconds},
              {"groups", groups_of(
                             results,
                             [&](const Result& result) {
                                 return Json{{"group", result.group->name},
                                             {"what", result.group->what},
                                             {"unit", unit_of(result)},
                                             {"measure", word(result.group->measure)}};
                             },
                             [&](const Result& result) { return json_of(result, setting); })}};
    return json;
}

} // namespace swirl::bench
