#include "runtime/cpu/cpu_quota.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

namespace swirl::runtime {
namespace {

namespace fs = std::filesystem;

/// Version 2: "cpu.max" holds "QUOTA PERIOD", with "max" for no limit. Version 1: two files, with −1 for no limit.
double quota_of(const fs::path& group) {
    double quota = 0, period = 0;
    if (std::ifstream both(group / "cpu.max"); both >> quota >> period && period > 0) return quota / period;
    std::ifstream quota_file(group / "cpu.cfs_quota_us"), period_file(group / "cpu.cfs_period_us");
    return quota_file >> quota && period_file >> period && quota > 0 && period > 0 ? quota / period : 0;
}

/// The least of the group and those that it is in. Its path may be one of the host's, which a container does not see.
double least_quota(const fs::path& mount, fs::path group) {
    double least = 0;
    for (;; group = group.parent_path()) {
        const double quota = quota_of(mount / group.relative_path());
        if (quota > 0) least = least > 0 ? std::min(least, quota) : quota;
        if (group.relative_path().empty()) return least;
    }
}

} // namespace

/// A line is "NUMBER:CONTROLLERS:PATH", without controllers in version 2.
int cpu_quota(const fs::path& groups, const fs::path& membership) {
    std::ifstream lines(membership);
    double least = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool governs_cpus =
            controllers.empty() || ("," + controllers + ",").find(",cpu,") != std::string::npos;
        const double quota = governs_cpus ? least_quota(groups / controllers, line.substr(second + 1)) : 0;
        if (quota > 0) least = least > 0 ? std::min(least, quota) : quota;
    }
    return static_cast<int>(std::ceil(std::min(least, 1e6)));
}

} // namespace swirl::runtime
