#include "search/cost/probe/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <set>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace swirl::search {
namespace {

namespace fs = std::filesystem;

void sort_by_level(std::vector<CacheLevel>& caches) { std::ranges::sort(caches, {}, &CacheLevel::level); }

std::optional<std::string> first_line(const fs::path& file) {
    std::ifstream stream(file);
    std::string line;
    if (!std::getline(stream, line)) return std::nullopt;
    return line;
}

/// Parses "48K", "32M", "64": an integer with an optional unit; 0 if absent.
Integer integer_in(const fs::path& file) {
    const std::string line = first_line(file).value_or("");
    std::size_t end = 0;
    Integer value = 0;
    for (; end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0; ++end)
        value = 10 * value + (line[end] - '0');
    if (end == line.size()) return value;
    return line[end] == 'K'   ? value << 10
           : line[end] == 'M' ? value << 20
           : line[end] == 'G' ? value << 30
                              : value;
}

/// Number of processors in a list such as "0-3,8,10-11".
int processors_in(const std::string& list) {
    int count = 0;
    int begin = 0;
    int value = 0;
    bool is_range = false;
    const auto finish = [&] {
        count += is_range ? value - begin + 1 : 1;
        is_range = false;
        value = 0;
    };
    for (const char c : list) {
        if (c == ',') {
            finish();
        } else if (c == '-') {
            begin = value;
            value = 0;
            is_range = true;
        } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
            value = 10 * value + (c - '0');
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
        cache.level = static_cast<int>(integer_in(folder / "level"));
        cache.bytes = integer_in(folder / "size");
        cache.line_bytes = static_cast<int>(integer_in(folder / "coherency_line_size"));
        cache.ways = static_cast<int>(integer_in(folder / "ways_of_associativity"));
        cache.shared_by = processors_in(first_line(folder / "shared_cpu_list").value_or("0"));
        if (cache.level > 0 && cache.bytes > 0) caches.push_back(cache);
    }
    sort_by_level(caches);
    return caches;
}

int cores_from_files(const fs::path& processors, std::span<const int> allowed) {
    std::set<std::string> cores;
    for (const int value : allowed) {
        const fs::path topology = processors / fmt::format("cpu{}", value) / "topology";
        auto siblings = first_line(topology / "core_cpus_list");
        if (!siblings) siblings = first_line(topology / "thread_siblings_list");
        if (siblings) cores.insert(*siblings);
    }
    return static_cast<int>(cores.size());
}

} // namespace

Topology topology_from_files(const fs::path& processors, std::span<const int> allowed) {
    if (allowed.empty()) return {};
    const fs::path first = processors / fmt::format("cpu{}", allowed.front());
    return {.cores = cores_from_files(processors, allowed),
            .caches = caches_from_files(first),
            .identification = first_line(first / "regs" / "identification" / "midr_el1").value_or("")};
}

#if defined(__x86_64__)

std::vector<CacheLevel> caches_from_cpuid() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned intel = 4, amd = 0x8000001d, no_cache = 0, instruction_cache = 2;
    for (const unsigned leaf : {intel, amd}) {
        std::vector<CacheLevel> caches;
        for (unsigned index = 0; index < 16; ++index) {
            if (__get_cpuid_count(leaf, index, &a, &b, &c, &d) == 0) break;
            const unsigned type = a & 0x1f;
            if (type == no_cache) break;
            if (type == instruction_cache) continue;
            const Integer line = (b & 0xfff) + 1, partitions = (b >> 12 & 0x3ff) + 1, ways = (b >> 22) + 1,
                          sets = Integer{c} + 1;
            caches.push_back({.level = static_cast<int>(a >> 5 & 7),
                              .bytes = line * partitions * ways * sets,
                              .line_bytes = static_cast<int>(line),
                              .ways = static_cast<int>(ways),
                              .shared_by = static_cast<int>(a >> 14 & 0xfff) + 1});
        }
        sort_by_level(caches);
        if (!caches.empty()) return caches;
    }
    return {};
}

#else

std::vector<CacheLevel> caches_from_cpuid() { return {}; }

#endif

} // namespace swirl::search
