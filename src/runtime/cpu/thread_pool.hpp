#pragma once

#include "runtime/cpu/spin_wait.hpp"
#include "runtime/cpu/team.hpp"

#include <pthread.h>

#include <cfenv>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

/// The threads that form teams.
namespace swirl::runtime {

/// The barrier of a team's members.
class Barrier {
public:
    /// `may_spin`: every member has a processor.
    void prepare(int size, bool may_spin) {
        size_ = static_cast<std::uint32_t>(size);
        may_spin_ = may_spin;
    }
    void wait(SpinWait& how);

private:
    std::uint32_t size_ = 1;
    bool may_spin_ = true;
    alignas(64) std::atomic<std::uint32_t> arrived_ = 0;
    alignas(64) std::atomic<std::uint32_t> round_ = 0;
};

/// A team member's exception, to be rethrown by the calling thread.
class Failure {
public:
    template <class F> void guard(F&& f) noexcept {
        try {
            f();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!first_) first_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }

private:
    std::mutex mutex_;
    std::exception_ptr first_;
};

/// The threads that help one thread, its caller. They wait for its calls until the pool ends.
///
/// Where other programs keep the processors busy, a worker may get one only after milliseconds, and a team is as slow
/// as its slowest member. A worker that does not respond soon is therefore left out of the call. After a team has lost
/// time by waiting for members that were not running, the caller works alone for a while, long enough that the time
/// lost is small compared with the time worked.
class ThreadPool {
public:
    using Body = std::function<void(const TeamMember&)>;

    ThreadPool();
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Runs `body` as a team of at most `wanted` members. `seconds`: an approximate lower bound on the time of one
    /// thread.
    void run(int wanted, double seconds, const Body& body);

    /// True if a signal handler left a call in order to end the process.
    bool is_busy() const { return busy_.load(std::memory_order_relaxed) != 0; }
    /// For a forked child, which has no workers.
    void drop_workers();

private:
    /// States of a worker: its caller calls it, it responds, its caller lets it begin.
    enum State : std::uint32_t { idle, called, present, working, ended };
    struct Worker;

    bool add_worker();
    void gather(std::size_t wanted, std::int64_t timeout);
    void run_on_team(const Body& body);
    void run_as_member(int number, SpinWait& wait);
    void worker_loop(Worker& worker);

    std::vector<std::unique_ptr<Worker>> workers_;
    SpinWait wait_;      ///< the caller's
    bool waits_for_all_; ///< regardless of the cost
    int processors_ = 1;
    std::int64_t serial_until_ = 0; ///< nanoseconds
    // The call in progress:
    std::vector<Worker*> present_;
    const Body* body_ = nullptr;
    Failure* failure_ = nullptr;
    std::fenv_t environment_{};  ///< of the caller
    bool is_in_section_ = false; ///< the caller is in a ForkSection
    int size_ = 1;
    Barrier barrier_;
    alignas(64) std::atomic<std::uint32_t> busy_ = 0; ///< workers that have not finished
};

/// Whether the calling thread is in a team, possibly of one.
bool is_team_member();
void run_serially(const ThreadPool::Body& body);

} // namespace swirl::runtime
