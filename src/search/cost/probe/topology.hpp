#pragma once

#include "base/integer.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

/// Cores and caches, as the system tells them.
namespace swirl::search {

/// A data or unified cache as one core sees it.
struct CacheLevel {
    int level = 1;
    Integer bytes = 0;
    int line_bytes = 64;
    int ways = 0;      ///< 0: unknown, or fully associative
    int shared_by = 1; ///< hardware threads
    bool operator==(const CacheLevel&) const = default;
};

/// What Linux tells in files.
struct Topology {
    int cores = 0;                  ///< that the allowed processors are of; 0: unknown
    std::vector<CacheLevel> caches; ///< of the first allowed processor, by level; empty: unknown
    std::string identification;     ///< an ARM's MIDR, such as "0x00000000410fd0c1"; empty elsewhere
};

/// Reads a folder such as /sys/devices/system/cpu, in well under a millisecond.
Topology topology_from_files(const std::filesystem::path& processors, std::span<const int> allowed);

/// As the processor itself tells them, by level: for containers that hide the files. `shared_by` may be too large (Intel SDM, CPUID
/// leaf 4: the number of addressable identifiers). Empty if it is no x86, or does not tell.
std::vector<CacheLevel> caches_from_cpuid();

} // namespace swirl::search
