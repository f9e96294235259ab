// A probe as JSON and as a table.

#include "base/error.hpp"
#include "search/cost/probe/probe.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace swirl::search {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const CacheLevel& cache) {
    return {{"level", cache.level},
            {"bytes", cache.bytes},
            {"line_bytes", cache.line_bytes},
            {"ways", cache.ways},
            {"shared_by", cache.shared_by}};
}

Json json_of(const Bandwidth& bandwidth) {
    return {{"level", bandwidth.level},
            {"working_set", bandwidth.working_set},
            {"read", bandwidth.read},
            {"write", bandwidth.write},
            {"copy", bandwidth.copy}};
}

Json json_of(const PageCost& cost) {
    return {{"pages", cost.pages}, {"dense", cost.dense}, {"small", cost.small}, {"large", cost.large}};
}

CacheLevel cache_of(const Json& json) {
    return {.level = json.at("level").get<int>(),
            .bytes = json.at("bytes").get<Integer>(),
            .line_bytes = json.at("line_bytes").get<int>(),
            .ways = json.at("ways").get<int>(),
            .shared_by = json.at("shared_by").get<int>()};
}

/// A positive speed or time.
double positive(const Json& json, const char* name) {
    const double value = json.at(name).get<double>();
    if (!(value > 0)) throw UserError("a machine probe has {} = {}", name, value);
    return value;
}

Bandwidth bandwidth_of(const Json& json) {
    return {.level = json.at("level").get<std::string>(),
            .working_set = json.at("working_set").get<Integer>(),
            .read = positive(json, "read"),
            .write = positive(json, "write"),
            .copy = positive(json, "copy")};
}

PageCost page_cost_of(const Json& json) {
    return {.pages = json.at("pages").get<Integer>(),
            .dense = positive(json, "dense"),
            .small = positive(json, "small"),
            .large = positive(json, "large")};
}

Host host_of(const Json& json) {
    Host host;
    host.model = json.at("model").get<std::string>();
    host.generation = json.at("generation").get<std::string>();
    host.instruction_set = json.at("instruction_set").get<std::string>();
    host.vector_bytes = json.at("vector_bytes").get<int>();
    host.cores = json.at("cores").get<int>();
    host.hardware_threads = json.at("hardware_threads").get<int>();
    for (const Json& cache : json.at("caches")) host.caches.push_back(cache_of(cache));
    return host;
}

} // namespace

std::string to_json(const HostProbe& probe) {
    Json caches = Json::array();
    for (const CacheLevel& cache : probe.host.caches) caches.push_back(json_of(cache));
    Json bandwidth = Json::array(), pages = Json::array();
    for (const PageCost& each : probe.pages) pages.push_back(json_of(each));
    for (const Bandwidth& each : probe.bandwidth) bandwidth.push_back(json_of(each));
    const Json json = {{"model", probe.host.model},
                       {"generation", probe.host.generation},
                       {"instruction_set", probe.host.instruction_set},
                       {"vector_bytes", probe.host.vector_bytes},
                       {"cores", probe.host.cores},
                       {"hardware_threads", probe.host.hardware_threads},
                       {"caches", caches},
                       {"measured_with", probe.measured_with},
                       {"flops_float32", probe.flops_float32},
                       {"flops_float64", probe.flops_float64},
                       {"latency_float32", probe.latency_float32},
                       {"latency_float64", probe.latency_float64},
                       {"vector_registers", probe.vector_registers},
                       {"bandwidth", bandwidth},
                       {"pages", pages}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

HostProbe parse_probe(std::string_view text) {
    try {
        const Json json = Json::parse(text);
        HostProbe probe;
        probe.host = host_of(json);
        probe.measured_with = json.at("measured_with").get<std::string>();
        probe.flops_float32 = positive(json, "flops_float32");
        probe.flops_float64 = positive(json, "flops_float64");
        probe.latency_float32 = positive(json, "latency_float32");
        probe.latency_float64 = positive(json, "latency_float64");
        probe.vector_registers = json.at("vector_registers").get<int>();
        for (const Json& each : json.at("pages")) probe.pages.push_back(page_cost_of(each));
        for (const Json& each : json.at("bandwidth")) probe.bandwidth.push_back(bandwidth_of(each));
        if (probe.bandwidth.empty()) throw UserError("a machine probe has no bandwidths");
        return probe;
    } catch (const nlohmann::json::exception& error) {
        throw UserError("not a machine probe: {}", error.what());
    }
}

std::string to_table(const HostProbe& probe) {
    const Host& host = probe.host;
    std::string text;
    const auto line = [&](std::string_view name, const std::string& value) {
        text += fmt::format("{:<18}{}\n", name, value);
    };
    const auto count = [](int value, const char* thing) {
        return fmt::format("{} {}{}", value, thing, value == 1 ? "" : "s");
    };
    line("processor", host.model + (host.generation.empty() ? "" : " (" + host.generation + ")"));
    line("available", count(host.cores, "core") + ", " + count(host.hardware_threads, "hardware thread"));
    line("vectors", fmt::format("{}: {} bytes, {} float64 or {} float32; {} registers", host.instruction_set,
                                host.vector_bytes, host.vector_bytes / 8, host.vector_bytes / 4,
                                probe.vector_registers));
    for (const CacheLevel& cache : host.caches)
        line(fmt::format("L{} data cache", cache.level),
             fmt::format("{}{}, {}-byte lines, shared by {}", size_text(cache.bytes),
                         cache.ways > 0 ? fmt::format(", {} ways", cache.ways) : "", cache.line_bytes,
                         count(cache.shared_by, "hardware thread")));
    line("arithmetic", fmt::format("float64 {:.1f} Gflop/s, float32 {:.1f} Gflop/s, one core",
                                   probe.flops_float64 / 1e9, probe.flops_float32 / 1e9));
    line("multiply-adds",
         fmt::format("float64 {:.2f} ns, {:.1f} vectors at once; float32 {:.2f} ns, {:.1f} vectors at once",
                     probe.latency_float64 * 1e9,
                     probe.multiply_adds_at_once(probe.flops_float64, probe.latency_float64, 8),
                     probe.latency_float32 * 1e9,
                     probe.multiply_adds_at_once(probe.flops_float32, probe.latency_float32, 4)));
    line("pages at hand", fmt::format("{} of 4 KiB", pages_at_hand(probe.pages)));
    line("measured with", probe.measured_with);
    text += fmt::format("\n{:<10}{:>12}{:>12}{:>12}{:>12}   GB/s, one core\n", "level", "data", "read",
                        "write", "copy");
    for (const Bandwidth& each : probe.bandwidth)
        text += fmt::format("{:<10}{:>12}{:>12.1f}{:>12.1f}{:>12.1f}\n", each.level,
                            size_text(each.working_set), each.read / 1e9, each.write / 1e9, each.copy / 1e9);
    text += fmt::format("\n{:<10}{:>12}{:>12}{:>12}   ns a load, a line on each page\n", "pages", "no pages",
                        "4 KiB", "2 MiB");
    for (const PageCost& each : probe.pages)
        text += fmt::format("{:<10}{:>12.2f}{:>12.2f}{:>12.2f}\n", each.pages, each.dense * 1e9,
                            each.small * 1e9, each.large * 1e9);
    return text;
}

} // namespace swirl::search
