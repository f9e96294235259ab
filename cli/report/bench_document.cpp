#include "cli/report/bench_document.hpp"

#include <algorithm>
#include <string>

namespace swirl::cli {
namespace {

bool is_result(const Json& json) {
    return json.is_object() && json.contains("problem") &&
           (json.contains("entries") || json.contains("median_seconds"));
}

/// Operations over the time: of an entry, or of a result with one library.
double flops_of(const Json& timed) {
    for (const char* rate : {"pseudo_gflops", "gflops"})
        if (timed.contains(rate))
            return timed.at(rate).get<double>() * timed.at("median_seconds").get<double>() * 1e9;
    return 0;
}

Json library_of(const Json& timed) {
    Json library{{"median", timed.at("median_seconds")}};
    if (timed.contains("minimum_seconds")) library["minimum"] = timed.at("minimum_seconds");
    if (timed.contains("error")) library["distance"] = timed.at("error").at("relative_l2");
    return library;
}

Json row_of(const Json& result) {
    Json row{{"problem", result.at("problem")}, {"flops", result.value("pseudo_flops", 0.0)}};
    const bool has_entries = result.contains("entries");
    const Json& first = has_entries ? result.at("entries").at(0) : result;
    if (row["flops"] == 0.0) row["flops"] = flops_of(first);
    if (result.contains("floors"))
        row["floors"] = {{"arithmetic", result.at("floors").at("arithmetic_seconds")},
                         {"traffic", result.at("floors").at("traffic_seconds")}};
    if (result.contains("of_copy"))
        row["floors"] = {
            {"traffic", result.at("of_copy").get<double>() * result.at("median_seconds").get<double>()}};
    row["libraries"] = Json::object();
    if (has_entries)
        for (const Json& entry : result.at("entries"))
            row["libraries"][entry.at("name").get<std::string>()] = library_of(entry);
    else
        row["libraries"]["swirl"] = library_of(result);
    if (result.contains("schedule")) row["libraries"]["swirl"]["made_by"] = result.at("schedule");
    if (result.contains("absent")) row["absent"] = result.at("absent");
    return row;
}

} // namespace

bool is_bench_document(const Json& document) {
    if (!document.is_object() || !document.contains("results")) return is_result(document);
    const Json& results = document.at("results");
    return results.is_array() && !results.empty() && std::all_of(results.begin(), results.end(), is_result);
}

std::vector<Json> lines_of_bench(const Json& document) {
    Json run = document.value("run", Json{{"command", "swirl bench"}, {"machine", Json::object()}});
    if (document.contains("device")) run["machine"]["gpu"] = document.at("device");
    if (document.contains("copy_bytes_per_second"))
        run["machine"]["copy_bytes_per_second"] = document.at("copy_bytes_per_second");
    std::vector<Json> lines{Json{{"run", std::move(run)}}};
    if (document.contains("results"))
        for (const Json& result : document.at("results")) lines.push_back(row_of(result));
    else
        lines.push_back(row_of(document));
    return lines;
}

} // namespace swirl::cli
