#include "bench/support/gpu_implementations.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace swirl::bench {

void time_implementations(const runtime::GpuStream& stream,
                          const std::vector<Implementation>& implementations,
                          const search::InterleavedTimingOptions& options, std::vector<Entry>& entries,
                          Absences& absent) {
    std::vector<search::GpuWork> works;
    for (const Implementation& implementation : implementations) works.push_back(implementation.work);
    const std::vector<search::InterleavedTimes> times = search::time_interleaved(stream, works, options);
    for (std::size_t k = 0; k < times.size(); ++k) {
        Entry entry = implementations[k].entry;
        entry.timing = times[k];
        if (!times[k].failed_because.empty()) {
            absent[entry.name] = first_line(times[k].failed_because);
            continue;
        }
        const bool with_swirl = implementations[0].entry.name == "swirl" && times[0].failed_because.empty();
        entry.time_over_swirl = with_swirl ? search::ratio_of(times[k], times[0]) : 0;
        entries.push_back(std::move(entry));
    }
}

cli::Json json_number(double value) {
    if (!std::isfinite(value)) return nullptr;
    return std::stod(fmt::format("{:.5g}", value));
}

cli::Json json_of(const Entry& entry) {
    cli::Json json{{"planning_seconds", json_number(entry.planning_seconds)},
                   {"workspace_bytes", entry.workspace_bytes}};
    if (entry.model_seconds > 0) json["model_seconds"] = json_number(entry.model_seconds);
    if (!entry.timing.samples.empty()) {
        json["median_seconds"] = json_number(entry.timing.time.median);
        json["minimum_seconds"] = json_number(entry.timing.time.minimum);
        json["spread"] = json_number(entry.timing.time.spread);
        json["rounds"] = entry.timing.time.samples;
        json["executions"] = entry.timing.time.repetitions;
        json["replayed"] = entry.timing.is_replayed;
        json["time_over_swirl"] = json_number(entry.time_over_swirl);
    }
    if (entry.error) json["error"] = json_number(*entry.error);
    return json;
}

bool is_swirls(const Entry& entry) { return entry.name == "swirl" || entry.name.starts_with("swirl "); }

std::string swirls_name(std::size_t index) {
    return index == 0 ? "swirl" : fmt::format("swirl {}", index + 1);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

} // namespace swirl::bench
