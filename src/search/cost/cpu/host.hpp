#pragma once

#include "base/integer.hpp"
#include "search/cost/probe/topology.hpp"
#include "target/cpu.hpp"

#include <string>
#include <vector>

namespace swirl::search {

/// What the system says about the host; nothing is measured.
struct Host {
    std::string model;           ///< "AMD EPYC 9654 96-Core Processor"
    std::string generation;      ///< "family 25 model 17 stepping 1"; empty where there is no such thing
    std::string instruction_set; ///< name of the target::Cpu in use
    int vector_bytes = 0;
    int cores = 0;                  ///< that this process may use
    int hardware_threads = 0;       ///< that this process may use
    std::vector<CacheLevel> caches; ///< by level
    bool operator==(const Host&) const = default;
};

/// This host, queried once; on Linux this takes well under a millisecond.
const Host& this_host();

/// One line that distinguishes hosts on which schedules perform differently: the host's key in wisdom. Not the number of
/// cores that this process may use: schedules are those of one thread.
std::string host_key(const Host& host);
/// The key of this host for code of this CPU.
std::string cpu_key(const target::Cpu& cpu);

/// A human-readable size: "48 KiB", "1.5 MiB".
std::string size_text(Integer bytes);

} // namespace swirl::search
