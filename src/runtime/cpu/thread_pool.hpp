#pragma once

#include "runtime/cpu/spin_wait.hpp"
#include "runtime/cpu/team_call.hpp"

#include <pthread.h>

#include <memory>
#include <vector>

/// The threads that form teams.
namespace swirl::runtime {

/// The threads that help one thread, its caller: swirl's own, which wait for its calls until the pool ends, or those that the program
/// lends (parallel_for.hpp).
///
/// A team has no more members than there are processors that this process may use and that teams of other callers leave free, so that
/// nobody spins on a processor that another member needs: under TBB, or with a team in every thread of a server.
///
/// Where other programs keep the processors busy, a worker may get one only after milliseconds, and a team is as slow
/// as its slowest member. A worker that does not respond soon is therefore left out of the call. After teams have lost
/// more time by waiting for members that were not running than they saved before, the caller works alone for a while, long
/// enough that the time lost is small compared with the time worked.
class ThreadPool {
public:
    ThreadPool();
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Runs `body` as a team of at most `wanted` members. `seconds`: an approximate lower bound on the time of one
    /// thread.
    void run(int wanted, double seconds, const TeamBody& body);

    /// True if a signal handler left a call in order to end the process.
    bool is_busy() const { return busy_.load(std::memory_order_relaxed) != 0; }
    /// For a forked child, which has no workers.
    void drop_workers();

private:
    /// States of a worker: its caller calls it, it responds, its caller lets it begin.
    enum State : std::uint32_t { idle, called, present, working, ended };
    struct Worker;

    bool add_worker();
    int members_for(int wanted, std::int64_t time);
    void gather(std::size_t wanted, std::int64_t expected);
    std::int64_t run_on_workers(int wanted, std::int64_t expected, TeamCall& call);
    void run_present(TeamCall& call);
    void worker_loop(Worker& worker);

    std::vector<std::unique_ptr<Worker>> workers_;
    SpinWait wait_;                                  ///< the caller's
    bool waits_for_all_;                             ///< regardless of the cost
    int processors_ = 1;                             ///< that this process may use, as of `counted_at_`
    std::int64_t counted_at_ = 0, serial_until_ = 0; ///< nanoseconds
    std::int64_t credit_ = 0;                        ///< nanoseconds that teams have saved and not lost again
    // The call in progress:
    std::vector<Worker*> present_;
    TeamCall* call_ = nullptr;
    alignas(64) std::atomic<std::uint32_t> busy_ = 0; ///< workers that have not finished
};

} // namespace swirl::runtime
