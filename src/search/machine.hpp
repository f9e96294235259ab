#pragma once

#include "base/integer.hpp"

#include <string>
#include <vector>

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

/// What the system says about the machine; nothing is measured.
struct Machine {
    std::string model;           ///< "AMD EPYC 9654 96-Core Processor"
    std::string generation;      ///< "family 25 model 17 stepping 1"; empty where there is no such thing
    std::string instruction_set; ///< the name of the target::Cpu in use
    int vector_bytes = 0;
    int cores = 0;                  ///< that this process may run on
    int hardware_threads = 0;       ///< that this process may run on
    std::vector<CacheLevel> caches; ///< by level
    bool operator==(const Machine&) const = default;
};

/// This machine. Found out once, in well under a millisecond on Linux.
const Machine& host_machine();

/// One line that tells machines apart on which recipes run differently well: the machine in wisdom.
std::string machine_key(const Machine& machine);

/// "48 KiB", "1.5 MiB": a size as people write it.
std::string size_text(Integer bytes);

} // namespace swirl::search
