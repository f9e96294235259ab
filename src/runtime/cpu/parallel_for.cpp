#include "runtime/cpu/parallel_for.hpp"

#include "base/fork_gate.hpp"

#include <vector>

namespace swirl::runtime {
namespace {

/// Replaced, never changed or freed: a call in progress may read it.
std::atomic<const ParallelFor*> programs_loop = nullptr;

/// All that were ever set, the last one first.
struct Registered {
    ParallelFor loop;
    Registered* previous;
};
std::atomic<Registered*> registered = nullptr;

/// The jobs of one call.
class Roll {
public:
    Roll(int wanted, std::int64_t timeout, int processors, TeamCall& call)
        : wanted_(static_cast<std::uint32_t>(wanted)),
          timeout_(timeout),
          processors_(processors),
          call_(call) {}

    void join() {
        std::uint32_t present = present_.load(std::memory_order_relaxed);
        do
            if ((present & closed) != 0) return;
        while (!present_.compare_exchange_weak(present, present + 1, std::memory_order_acq_rel));
        SpinWait wait;
        if (present == 0)
            close();
        else
            wait.while_equal(has_begun_, 0);
        call_.run_member(static_cast<int>(present), wait);
    }
    bool is_empty() const { return present_.load(std::memory_order_acquire) == 0; }
    std::int64_t lost() const { return lost_; }

private:
    static constexpr std::uint32_t closed = 1U << 31;

    void close() {
        const std::int64_t begin = monotonic_nanoseconds();
        while (present_.load(std::memory_order_relaxed) < wanted_ &&
               monotonic_nanoseconds() - begin < timeout_)
            cpu_pause();
        const auto size = static_cast<int>(present_.fetch_or(closed, std::memory_order_acq_rel));
        if (static_cast<std::uint32_t>(size) < wanted_) lost_ = monotonic_nanoseconds() - begin;
        call_.prepare(size, size <= processors_, barrier_);
        has_begun_.store(1, std::memory_order_release);
        has_begun_.notify_all();
    }

    std::uint32_t wanted_;
    std::int64_t timeout_; ///< nanoseconds
    int processors_;
    TeamCall& call_;
    Barrier barrier_;
    std::int64_t lost_ = 0;
    alignas(64) std::atomic<std::uint32_t> present_ = 0; ///< members so far; and whether that is all
    alignas(64) std::atomic<std::uint32_t> has_begun_ = 0;
};

} // namespace

void set_parallel_for(const ParallelFor& users) {
    if (users.function == nullptr) return programs_loop.store(nullptr, std::memory_order_release);
    auto* const own = new Registered{users, registered.load(std::memory_order_relaxed)};
    while (!registered.compare_exchange_weak(own->previous, own, std::memory_order_relaxed)) continue;
    programs_loop.store(&own->loop, std::memory_order_release);
}

const ParallelFor* parallel_for() { return programs_loop.load(std::memory_order_acquire); }

std::int64_t run_by(const ParallelFor& users, int wanted, std::int64_t timeout, int processors,
                    TeamCall& call) {
    Roll roll(wanted, timeout, processors, call);
    std::vector<Roll*> jobs(static_cast<std::size_t>(wanted), &roll);
    const auto work = [](char* job) -> void* {
        (*reinterpret_cast<Roll**>(job))->join();
        return nullptr;
    };
    users.function(work, reinterpret_cast<char*>(jobs.data()), sizeof(Roll*), wanted, users.data);
    if (roll.is_empty()) call.run_serially(); // a loop that ran no job
    return roll.lost();
}

} // namespace swirl::runtime
