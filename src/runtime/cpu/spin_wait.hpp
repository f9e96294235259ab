#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

/// Waiting for an imminent action of another thread.
namespace swirl::runtime {

/// Nanoseconds of a monotonic clock.
std::int64_t monotonic_nanoseconds();

/// Yields the core's resources to its other hardware thread for a moment.
inline void cpu_pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// How one thread waits for others. It first spins without yielding its processor, because running threads wait for
/// each other for less time than it takes to sleep and wake up. If spinning was in vain, the other thread is not
/// running and may need this very processor: the thread sleeps, and spins for less time from then on, until spinning
/// pays off again.
class SpinWait {
public:
    /// Returns when the word has another value. The thread that changes it must notify. `may_spin`: every thread has a
    /// processor.
    void while_equal(const std::atomic<std::uint32_t>& word, std::uint32_t value, bool may_spin = true) {
        until([&] { return word.load(std::memory_order_acquire) != value; },
              [&] { word.wait(value, std::memory_order_acquire); }, may_spin);
    }
    /// Returns when the word has the value, under the same conditions.
    void until_equal(const std::atomic<std::uint32_t>& word, std::uint32_t value, bool may_spin = true) {
        for (std::uint32_t other; (other = word.load(std::memory_order_acquire)) != value;)
            while_equal(word, other, may_spin);
    }
    /// Returns when `is_over()`. `sleep` returns when this may have changed.
    template <class IsOver, class Sleep> void until(IsOver is_over, Sleep sleep, bool may_spin = true) {
        if (is_over()) return;
        const std::int64_t begin = monotonic_nanoseconds();
        const std::int64_t asleep = spin(is_over, begin, may_spin);
        if (asleep == 0) return;
        do sleep();
        while (!is_over());
        account(begin, asleep, may_spin);
    }
    /// Total nanoseconds of waits that were too long for spinning.
    std::int64_t in_long_waits() const { return in_long_waits_; }

private:
    /// 0 if that was enough, else the time at which to sleep.
    template <class IsOver> std::int64_t spin(IsOver is_over, std::int64_t begin, bool may_spin) {
        constexpr int polls_between_looks_at_the_clock = 32;
        for (;;) {
            for (int poll = 0; poll < polls_between_looks_at_the_clock; ++poll) {
                if (is_over()) {
                    spin_ = std::min(2 * spin_, longest_spin);
                    return 0;
                }
                cpu_pause();
            }
            const std::int64_t now = monotonic_nanoseconds();
            if (!may_spin || now - begin >= spin_) return now;
        }
    }
    /// After a sleep.
    void account(std::int64_t begin, std::int64_t asleep, bool may_spin);

    /// Nanoseconds: limits of spinning, and the longest sleep that spinning would have beaten.
    static constexpr std::int64_t longest_spin = 100'000, shortest_spin = 2'000, short_sleep = 50'000;
    std::int64_t spin_ = longest_spin;
    std::int64_t in_long_waits_ = 0;
};

} // namespace swirl::runtime
