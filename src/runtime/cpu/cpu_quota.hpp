#pragma once

#include <filesystem>

namespace swirl::runtime {

/// The processors' worth of time that Linux's control groups grant this process, rounded up: in a container limited to 2 CPUs of 64 it may
/// run on all, but for 1/32 of the time. 0: no limit is known. `groups` is where the groups are mounted, `membership` says which are ours.
int cpu_quota(const std::filesystem::path& groups = "/sys/fs/cgroup",
              const std::filesystem::path& membership = "/proc/self/cgroup");

} // namespace swirl::runtime
