#include "runtime/cpu/spin_wait.hpp"

#include <algorithm>
#include <chrono>

namespace swirl::runtime {

std::int64_t monotonic_nanoseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

void SpinWait::spin_then_sleep(const std::atomic<std::uint32_t>& word, std::uint32_t value, bool may_spin) {
    constexpr int polls_between_looks_at_the_clock = 32;
    const std::int64_t begin = monotonic_nanoseconds();
    std::int64_t asleep = begin;
    do {
        for (int poll = 0; poll < polls_between_looks_at_the_clock; ++poll) {
            if (word.load(std::memory_order_acquire) != value) {
                spin_ = std::min(2 * spin_, longest_spin);
                return;
            }
            cpu_pause();
        }
        asleep = monotonic_nanoseconds();
    } while (may_spin && asleep - begin < spin_);
    word.wait(value, std::memory_order_acquire);
    const std::int64_t end = monotonic_nanoseconds();
    if (may_spin)
        spin_ = end - asleep < short_sleep ? std::min(2 * spin_, longest_spin)
                                           : std::max(spin_ / 2, shortest_spin);
    in_long_waits_ += end - begin;
}

} // namespace swirl::runtime
