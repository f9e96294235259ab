#include "search/cost/cpu/host.hpp"

#include "runtime/cpu/affinity.hpp"
#include "search/cost/probe/topology.hpp"
#include "target/cpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace swirl::search {
namespace {

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
    const std::vector<int> allowed = runtime::allowed_processors();
    const Topology topology = topology_from_files("/sys/devices/system/cpu", allowed);
    host.hardware_threads = static_cast<int>(allowed.size());
    host.cores = topology.cores;
    host.caches = topology.caches.empty() ? caches_from_cpuid() : topology.caches;
    if (host.model.empty())
        host.model =
            topology.identification.empty() ? "unknown processor" : "processor " + topology.identification;
    if (host.hardware_threads == 0)
        host.hardware_threads = std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
    if (host.cores == 0) host.cores = host.hardware_threads;
    return host;
}

} // namespace

const Host& this_host() {
    static const auto& host = *new Host(detect_host()); // never destroyed: may be in use at exit
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
    return key;
}

std::string cpu_key(const target::Cpu& cpu) {
    Host host = this_host();
    host.instruction_set = cpu.name;
    return host_key(host);
}

} // namespace swirl::search
