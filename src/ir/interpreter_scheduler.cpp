#include "ir/interpreter_scheduler.hpp"

#include "base/fork_gate.hpp"

#include <algorithm>
#include <thread>

namespace swirl::ir::interpreted {

void CooperativeScheduler::run(std::size_t count, const std::function<void(std::size_t)>& body) {
    runners_.resize(count);
    running_ = count;
    std::vector<std::thread> threads;
    threads.reserve(count);
    const auto start_joined = [this, &body, is_in_section = ForkSection::is_inside()](std::size_t i) {
        const ForkSection::Joined joined(is_in_section);
        start(i, body);
    };
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(start_joined, i);
    {
        const std::lock_guard lock(running_lock_);
        switch_task();
    }
    for (std::thread& thread : threads) thread.join();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    if (stopped_) throw Stopped{};
}

void CooperativeScheduler::start(std::size_t runner, const std::function<void(std::size_t)>& body) {
    std::unique_lock lock(running_lock_);
    changed_.wait(lock, [&] { return stopped_ || running_ == runner; });
    if (stopped_) return;
    runners_[runner].lock = &lock;
    try {
        body(runner);
    } catch (const Stopped&) {
        stopped_ = true;
    } catch (...) {
        if (failure_ == nullptr) failure_ = std::current_exception();
        stopped_ = true;
    }
    runners_[runner].done = true;
    switch_task();
}

void CooperativeScheduler::wait(const std::function<bool()>& may_resume,
                                const std::function<void()>& on_deadlock) {
    if (may_resume()) return;
    const std::size_t own = running_;
    runners_[own].may_resume = &may_resume;
    runners_[own].on_deadlock = &on_deadlock;
    switch_task();
    changed_.wait(*runners_[own].lock, [&] { return stopped_ || running_ == own; });
    runners_[own].may_resume = nullptr;
    if (stopped_) throw Stopped{};
}

void CooperativeScheduler::switch_task() {
    if (!stopped_) {
        const auto next = std::find_if(runners_.begin(), runners_.end(), [](const Task& runner) {
            return !runner.done && (runner.may_resume == nullptr || (*runner.may_resume)());
        });
        if (next != runners_.end()) {
            running_ = static_cast<std::size_t>(next - runners_.begin());
        } else {
            for (const Task& runner : runners_) {
                if (runner.done) continue;
                (*runner.on_deadlock)();
                stopped_ = true;
            }
        }
    }
    changed_.notify_all();
}

} // namespace swirl::ir::interpreted
