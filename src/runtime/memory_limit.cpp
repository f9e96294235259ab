#include "runtime/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace swirl::runtime {

namespace {

constexpr Integer unlimited = std::numeric_limits<Integer>::max();

Integer physical_memory() {
    const Integer pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? checked_multiply(pages, bytes).value_or(unlimited) : unlimited;
}

Integer address_space() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
    return static_cast<Integer>(std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(unlimited)));
}

/// Limit of the root control group that this process sees; in a container, the container's.
Integer control_group() {
    for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::ifstream file(path);
        Integer bytes = 0;
        if (file >> bytes && bytes > 0) return bytes; // "max" does not parse as a number
    }
    return unlimited;
}

} // namespace

Integer memory_limit() { return std::min({physical_memory(), address_space(), control_group()}); }

} // namespace swirl::runtime
