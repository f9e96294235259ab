#pragma once

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
        if (word.load(std::memory_order_acquire) == value) spin_then_sleep(word, value, may_spin);
    }
    /// Total nanoseconds of waits that were too long for spinning.
    std::int64_t in_long_waits() const { return in_long_waits_; }

private:
    void spin_then_sleep(const std::atomic<std::uint32_t>& word, std::uint32_t value, bool may_spin);

    /// Nanoseconds: limits of spinning, and the longest sleep that spinning would have beaten.
    static constexpr std::int64_t longest_spin = 100'000, shortest_spin = 2'000, short_sleep = 50'000;
    std::int64_t spin_ = longest_spin;
    std::int64_t in_long_waits_ = 0;
};

} // namespace swirl::runtime
