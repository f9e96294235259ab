#pragma once

#include "support/forked_child.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

/// Forks while another thread holds a lock: the program's own pthread_mutex_lock pauses a thread right after it locked
/// the mutex that a test selects. Include it in one file of a program only.
namespace swirl {

namespace locks {

using Mutexes = std::vector<const void*>;
/// Records each mutex that the calling thread locks, once.
inline thread_local constinit Mutexes* locked = nullptr;
/// Mutex at which the calling thread pauses, once.
inline thread_local constinit const void* pausing_at = nullptr;
inline std::atomic<bool> is_paused = false, may_go_on = false;

/// Upper bound on a pause: a fork that waits for the thread lets it continue in the end.
inline constexpr auto pause = std::chrono::milliseconds(50);

inline void note(const void* mutex) {
    if (locked != nullptr && std::find(locked->begin(), locked->end(), mutex) == locked->end())
        locked->push_back(mutex);
    if (mutex != pausing_at) return;
    pausing_at = nullptr;
    is_paused = true;
    const auto begin = std::chrono::steady_clock::now();
    while (!may_go_on && std::chrono::steady_clock::now() - begin < pause) std::this_thread::yield();
    is_paused = false;
}

} // namespace locks

/// Whether in_child(k) is true in processes forked while another thread is in work(k) and has just locked a mutex.
/// Repeats this for each mutex that outlives one call of work.
template <class Work, class InChild>
testing::AssertionResult is_true_in_children_at_locks(Work&& work, InChild&& in_child) {
    const auto locked_in = [&](int k) {
        locks::Mutexes mutexes;
        locks::locked = &mutexes;
        work(k);
        locks::locked = nullptr;
        return mutexes;
    };
    work(0); // one-time initialisation
    const locks::Mutexes first = locked_in(1), second = locked_in(2);
    int children = 0;
    for (const void* const mutex : first) {
        if (std::find(second.begin(), second.end(), mutex) == second.end()) continue;
        const int k = children++;
        std::atomic<bool> is_done = false;
        locks::may_go_on = false;
        const std::jthread other([&] {
            locks::pausing_at = mutex;
            work(3 + k);
            locks::pausing_at = nullptr;
            is_done = true;
        });
        while (!locks::is_paused && !is_done) std::this_thread::yield();
        const bool is_right = is_true_in_a_child([&] { return in_child(k); });
        locks::may_go_on = true;
        if (!is_right)
            return testing::AssertionFailure()
                   << "with mutex " << k << " of " << first.size() << " held, " << mutex;
    }
    if (children == 0) return testing::AssertionFailure() << "no mutex was locked";
    return testing::AssertionSuccess();
}

} // namespace swirl

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
extern "C" [[gnu::visibility("default")]] int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    using Lock = int (*)(pthread_mutex_t*);
    static constinit std::atomic<Lock> locking = nullptr;
    Lock lock = locking.load();
    if (lock == nullptr) locking = lock = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    const int result = lock(mutex);
    swirl::locks::note(mutex);
    return result;
}
#endif
