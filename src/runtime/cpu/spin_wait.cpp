#include "runtime/cpu/spin_wait.hpp"

#include <algorithm>
#include <chrono>

namespace swirl::runtime {

std::int64_t monotonic_nanoseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

void SpinWait::account(std::int64_t begin, std::int64_t asleep, bool may_spin) {
    const std::int64_t end = monotonic_nanoseconds();
    if (may_spin)
        spin_ = end - asleep < short_sleep ? std::min(2 * spin_, longest_spin)
                                           : std::max(spin_ / 2, shortest_spin);
    in_long_waits_ += end - begin;
}

} // namespace swirl::runtime
