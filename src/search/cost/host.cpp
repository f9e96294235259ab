#include "search/cost/host.hpp"

#include "runtime/cpu/affinity.hpp"
#include "target/cpu.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace swirl::search {
namespace {

namespace fs = std::filesystem;

// ---- Linux: /sys, two orders of magnitude faster than a full hwloc topology ----------------------------------

std::optional<std::string> first_line(const fs::path& file) {
    std::ifstream stream(file);
    std::string line;
    if (!std::getline(stream, line)) return std::nullopt;
    return line;
}

/// Parses "48K", "32M", "64": an integer with an optional unit; 0 if absent.
Integer number_in(const fs::path& file) {
    const std::string line = first_line(file).value_or("");
    std::size_t end = 0;
    Integer number = 0;
    for (; end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0; ++end)
        number = 10 * number + (line[end] - '0');
    if (end == line.size()) return number;
    return line[end] == 'K'   ? number << 10
           : line[end] == 'M' ? number << 20
           : line[end] == 'G' ? number << 30
                              : number;
}

/// Number of processors in a list such as "0-3,8,10-11".
int processors_in(const std::string& list) {
    int count = 0;
    int begin = 0;
    int number = 0;
    bool is_range = false;
    const auto finish = [&] {
        count += is_range ? number - begin + 1 : 1;
        is_range = false;
        number = 0;
    };
    for (const char c : list) {
        if (c == ',') {
            finish();
        } else if (c == '-') {
            begin = number;
            number = 0;
            is_range = true;
        } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
            number = 10 * number + (c - '0');
        }
    }
    finish();
    return count;
}

std::vector<CacheLevel> caches_from_files(const fs::path& processor) {
    std::vector<CacheLevel> caches;
    for (int index = 0; index < 16; ++index) {
        const fs::path folder = processor / "cache" / fmt::format("index{}", index);
        const std::optional<std::string> type = first_line(folder / "type");
        if (!type || *type == "Instruction") continue;
        CacheLevel cache;
        cache.level = static_cast<int>(number_in(folder / "level"));
        cache.bytes = number_in(folder / "size");
        cache.line_bytes = static_cast<int>(number_in(folder / "coherency_line_size"));
        cache.ways = static_cast<int>(number_in(folder / "ways_of_associativity"));
        cache.shared_by = processors_in(first_line(folder / "shared_cpu_list").value_or("0"));
        if (cache.level > 0 && cache.bytes > 0) caches.push_back(cache);
    }
    return caches;
}

int cores_from_files(const fs::path& processors, const std::vector<int>& allowed) {
    std::set<std::string> cores;
    for (const int number : allowed) {
        const fs::path topology = processors / fmt::format("cpu{}", number) / "topology";
        auto siblings = first_line(topology / "core_cpus_list");
        if (!siblings) siblings = first_line(topology / "thread_siblings_list");
        if (siblings) cores.insert(*siblings);
    }
    return static_cast<int>(cores.size());
}

// ---- elsewhere: hwloc -----------------------------------------------------------------------------------------

struct DestroyTopology {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

Topology load_topology() {
    hwloc_topology_t handle = nullptr;
    if (hwloc_topology_init(&handle) != 0) return nullptr;
    Topology topology(handle);
    return hwloc_topology_load(handle) == 0 ? std::move(topology) : nullptr;
}

void fill_from_topology(Host& host) {
    const Topology topology = load_topology();
    if (!topology) return;
    host.cores = std::max(hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE), 0);
    host.hardware_threads = std::max(hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_PU), 0);
    for (hwloc_obj_t at = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PU, 0); at != nullptr;
         at = at->parent) {
        if (hwloc_obj_type_is_dcache(at->type) == 0) continue;
        const auto& cache = at->attr->cache;
        host.caches.push_back({.level = static_cast<int>(cache.depth),
                               .bytes = static_cast<Integer>(cache.size),
                               .line_bytes = static_cast<int>(cache.linesize),
                               .ways = std::max(cache.associativity, 0),
                               .shared_by = std::max(hwloc_bitmap_weight(at->cpuset), 1)});
    }
    if (!host.model.empty()) return;
    const hwloc_obj_t package = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0);
    const char* model = package != nullptr ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
    if (model != nullptr) host.model = model;
}

// ---- CPUID ----------------------------------------------------------------------------------------------------

#if defined(__x86_64__)

std::string single_spaced(const std::string& text) {
    std::string result;
    for (const char c : text)
        if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
    if (result.ends_with(' ')) result.pop_back();
    return result;
}

/// Leaves 0x80000002 to 0x80000004: 48 characters.
std::string processor_model() {
    std::array<unsigned, 12> words{};
    for (unsigned leaf = 0; leaf < 3; ++leaf) {
        unsigned* at = words.data() + std::size_t{4} * leaf;
        if (__get_cpuid(0x80000002U + leaf, at, at + 1, at + 2, at + 3) == 0) return {};
    }
    std::array<char, sizeof words + 1> text{};
    std::memcpy(text.data(), words.data(), sizeof words);
    return single_spaced(text.data());
}

/// Leaf 1, with the extended fields added as both vendors do.
std::string processor_generation() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) return {};
    unsigned family = a >> 8 & 0xf;
    unsigned model = a >> 4 & 0xf;
    if (family == 6 || family == 15) model += (a >> 16 & 0xf) << 4;
    if (family == 15) family += a >> 20 & 0xff;
    return fmt::format("family {} model {} stepping {}", family, model, a & 0xf);
}

#else

std::string processor_model() { return {}; }
std::string processor_generation() { return {}; }

#endif

Host detect_host() {
    Host host;
    host.model = processor_model();
    host.generation = processor_generation();
    host.instruction_set = target::host_cpu().name;
    host.vector_bytes = target::host_cpu().vector_bytes;
    const fs::path processors = "/sys/devices/system/cpu";
    const std::vector<int> allowed = runtime::allowed_processors();
    if (!allowed.empty()) {
        host.hardware_threads = static_cast<int>(allowed.size());
        host.cores = cores_from_files(processors, allowed);
        host.caches = caches_from_files(processors / fmt::format("cpu{}", allowed.front()));
    }
    if (host.caches.empty() || host.model.empty()) fill_from_topology(host);
    std::sort(host.caches.begin(), host.caches.end(),
              [](const CacheLevel& a, const CacheLevel& b) { return a.level < b.level; });
    if (host.model.empty()) host.model = "unknown processor";
    if (host.hardware_threads == 0)
        host.hardware_threads = std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
    if (host.cores == 0) host.cores = host.hardware_threads;
    return host;
}

} // namespace

const Host& this_host() {
    static const Host host = detect_host();
    return host;
}

std::string size_text(Integer bytes) {
    constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
    double size = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; size >= 1024 && unit + 1 < units.size(); ++unit) size /= 1024;
    const std::string digits = size < 10 && size != static_cast<double>(static_cast<Integer>(size))
                                   ? fmt::format("{:.1f}", size)
                                   : fmt::format("{:.0f}", size);
    return fmt::format("{} {}", digits, units[unit]);
}

std::string host_key(const Host& host) {
    std::string key = host.model;
    if (!host.generation.empty()) key += ", " + host.generation;
    key += ", " + host.instruction_set;
    for (const CacheLevel& cache : host.caches)
        key += fmt::format(", L{} {}", cache.level, size_text(cache.bytes));
    return key + fmt::format(", {} core{}", host.cores, host.cores == 1 ? "" : "s");
}

} // namespace swirl::search
