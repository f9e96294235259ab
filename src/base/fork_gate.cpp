#include "base/fork_gate.hpp"

#include <pthread.h>

#include <utility>

namespace swirl {
namespace {

std::atomic<std::uint64_t> forks_so_far = 0;

/// Number of threads in sections, and whether a fork keeps others out. Threads wait on these words alone: the waiter
/// state of a condition variable would persist in the child.
std::atomic<std::uint32_t> threads_inside = 0, is_closed = 0;
std::mutex forking; ///< held by the one thread that forks

/// State of the calling thread.
struct Own {
    int sections = 0, locks = 0, joined = 0;
};
thread_local constinit Own own;

void pass_out() noexcept {
    if (threads_inside.fetch_sub(1) == 1 && is_closed.load() != 0) threads_inside.notify_all();
}

void pass_in() {
    for (;;) {
        threads_inside.fetch_add(1);
        if (is_closed.load() == 0) return;
        pass_out();
        is_closed.wait(1);
    }
}

/// A thread that forks inside its own section lets other forks happen while it waits.
void before_fork() {
    if (own.sections > 0) pass_out();
    forking.lock();
    is_closed = 1;
    for (std::uint32_t inside = threads_inside.load(); inside != 0; inside = threads_inside.load())
        threads_inside.wait(inside);
}

void allow_forks() {
    is_closed = 0;
    is_closed.notify_all();
    forking.unlock();
    if (own.sections > 0) pass_in();
}

void in_child() {
    ++forks_so_far;
    threads_inside = 0; // other threads may have been about to find the gate closed
    allow_forks();
}

[[maybe_unused]] const int registered = pthread_atfork(before_fork, allow_forks, in_child);

} // namespace

void ForkSection::enter() {
    if (own.sections == 0) pass_in();
    ++own.sections; // not earlier: a waiting thread is in no section
}

void ForkSection::leave() noexcept {
    if (--own.sections == 0) pass_out();
}

bool ForkSection::is_inside() { return own.sections > 0; }

ForkSection::Joined::Joined(bool caller_is_inside) : is_joined_(caller_is_inside) {
    if (!is_joined_) return;
    if (own.sections++ == 0) threads_inside.fetch_add(1);
    ++own.joined;
}

ForkSection::Joined::~Joined() {
    if (!is_joined_) return;
    --own.joined;
    leave();
}

ForkSection::Outside::Outside() {
    if (own.sections == 0 || own.locks > 0 || own.joined > 0) return;
    sections_ = std::exchange(own.sections, 0);
    pass_out();
}

ForkSection::Outside::~Outside() {
    if (sections_ == 0) return;
    pass_in();
    own.sections = sections_;
}

void ForkSection::let_forks_pass() {
    if (is_closed.load(std::memory_order_relaxed) == 0) return;
    const Outside outside;
}

void ForkSection::count_locks(int change) noexcept { own.locks += change; }

std::uint64_t forks() { return forks_so_far.load(std::memory_order_relaxed); }

} // namespace swirl
