#pragma once

#include <atomic>
#include <cstdint>

/// Waiting for what another thread is about to do.
namespace swirl::runtime {

/// Nanoseconds of a clock that only goes forwards.
std::int64_t monotonic_nanoseconds();

/// Gives the rest of the core to its other thread for a moment.
inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// How one thread waits for others. It begins without giving its processor away, as threads that run side by side wait for
/// each other for less time than falling asleep and waking up take. Where that was in vain the other thread does not run,
/// and may need this very processor: the thread sleeps, and spins for less time from then on, until spinning pays off.
class BriefWait {
public:
    /// Returns when the word has another value. Who changes it notifies. `may_spin`: there is a processor for each thread.
    void while_equal(const std::atomic<std::uint32_t>& word, std::uint32_t value, bool may_spin = true) {
        if (word.load(std::memory_order_acquire) == value) spin_then_sleep(word, value, may_spin);
    }
    /// Nanoseconds in waits that were too long for spinning, all together.
    std::int64_t in_long_waits() const { return in_long_waits_; }

private:
    void spin_then_sleep(const std::atomic<std::uint32_t>& word, std::uint32_t value, bool may_spin);

    /// Nanoseconds of spinning, and of a sleep that spinning would have been better than.
    static constexpr std::int64_t longest_spin = 100'000, shortest_spin = 2'000, nap = 50'000;
    std::int64_t spin_ = longest_spin;
    std::int64_t in_long_waits_ = 0;
};

} // namespace swirl::runtime
