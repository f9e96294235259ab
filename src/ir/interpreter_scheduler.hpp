#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace swirl::ir::interpreted {

/// Unwinds the running bodies after a deadlock.
struct Stopped {};

/// Coroutine-like scheduler: runs several bodies, one at a time, each until it must wait for the others. The first
/// body that can proceed runs next, so execution is deterministic.
class CooperativeScheduler {
public:
    /// Runs body(0) … body(count−1). Throws `Stopped` if all unfinished bodies wait.
    void run(std::size_t count, const std::function<void(std::size_t)>& body);

    /// Called by the running body: returns once `may_resume()` holds, or calls `on_deadlock` if it never does. Both
    /// are called while no body runs.
    void wait(const std::function<bool()>& may_resume, const std::function<void()>& on_deadlock);

private:
    struct Task {
        bool done = false;
        std::unique_lock<std::mutex>* lock = nullptr;
        const std::function<bool()>* may_resume = nullptr; ///< null: not waiting
        const std::function<void()>* on_deadlock = nullptr;
    };

    void start(std::size_t runner, const std::function<void(std::size_t)>& body);
    void switch_task();

    std::mutex running_lock_; ///< held by the running body
    std::condition_variable changed_;
    std::vector<Task> runners_;
    std::size_t running_ = 0;
    bool stopped_ = false;
    std::exception_ptr failure_;
};

} // namespace swirl::ir::interpreted
