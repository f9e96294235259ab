#include "runtime/memory_limit.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
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

/// The number at the beginning of a file; 0 if there is none. Each plan asks, and a stream would take ten times as long.
Integer number_in(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    std::array<char, 32> text;
    const ssize_t size = read(file, text.data(), text.size());
    close(file);
    Integer number = 0;
    if (size > 0) std::from_chars(text.data(), text.data() + size, number);
    return number;
}

/// Limit of the root control group that this process sees; in a container, the container's.
Integer control_group() {
    for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        const Integer bytes = number_in(path);
        if (bytes > 0) return bytes; // "max" is no number
    }
    return unlimited;
}

} // namespace

Integer memory_limit() { return std::min({physical_memory(), address_space(), control_group()}); }

} // namespace swirl::runtime
