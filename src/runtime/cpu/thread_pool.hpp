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
/// as its slowest member. A worker that does not respond soon is therefore left out of the call, and not waited for in the next ones:
/// it may share its processor with a member that spins, and then gets none as long as calls follow each other. After teams have lost
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
    bool is_busy() const { return is_busy_.load(std::memory_order_relaxed); }
    /// For a forked child, which has no workers.
    void drop_workers();

private:
    struct Worker;
    struct CallWord;

    bool add_worker();
    int members_for(int wanted, std::int64_t time);
    void call_workers(std::size_t count);
    void gather(std::size_t wanted, std::int64_t expected);
    std::int64_t run_on_workers(int wanted, std::int64_t expected, TeamCall& call);
    void start(TeamCall& call);
    void await_workers();
    std::uint32_t next_call(Worker& worker, std::uint32_t last, SpinWait& wait);
    void worker_loop(Worker& worker);

    std::vector<std::unique_ptr<Worker>> workers_;
    SpinWait wait_;                                  ///< the caller's
    bool waits_for_all_;                             ///< regardless of the cost
    int processors_ = 1;                             ///< that this process may use, as of `counted_at_`
    std::int64_t counted_at_ = 0, serial_until_ = 0; ///< nanoseconds
    std::int64_t credit_ = 0;                        ///< nanoseconds that teams have saved and not lost again
    // The call in progress. Words that all workers read are written once by the caller, and each worker's answers lie in a line of its own.
    std::vector<Worker*> present_;
    TeamCall* call_ = nullptr;
    Barrier barrier_;
    std::atomic<bool> is_busy_ = false;
    alignas(64) std::atomic<std::uint32_t> called_ = 0; ///< CallWord: its workers respond
    alignas(64) std::atomic<std::uint32_t> begun_ = 0;  ///< CallWord: those of them that are members run
};

} // namespace swirl::runtime
