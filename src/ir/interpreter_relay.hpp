#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace swirl::ir::interpreted {

/// Ends what runs after a deadlock.
struct Stopped {};

/// Runs several bodies of code of which one at a time goes on, until it has to wait for the others. Whose turn it is next is the
/// first that may go on, so that the same happens each time.
class Relay {
public:
    /// Runs body(0) … body(count−1). `Stopped` is thrown where all that are left wait.
    void run(std::size_t count, const std::function<void(std::size_t)>& body);

    /// For the body whose turn it is: returns when `may_go_on()`. `tell` is called if it never may. Both are called while
    /// no body goes on.
    void wait(const std::function<bool()>& may_go_on, const std::function<void()>& tell);

private:
    struct Runner {
        bool done = false;
        std::unique_lock<std::mutex>* lock = nullptr;
        const std::function<bool()>* may_go_on = nullptr; ///< null: it does not wait
        const std::function<void()>* tell = nullptr;
    };

    void start(std::size_t runner, const std::function<void(std::size_t)>& body);
    void pass_on();

    std::mutex turn_; ///< held by whoever's turn it is
    std::condition_variable changed_;
    std::vector<Runner> runners_;
    std::size_t running_ = 0;
    bool stopped_ = false;
    std::exception_ptr failure_;
};

} // namespace swirl::ir::interpreted
