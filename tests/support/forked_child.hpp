#pragma once

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
/// In the child ThreadSanitizer does not know that the parent's threads were joined.
extern "C" [[gnu::weak, gnu::used, gnu::visibility("default")]] const char* __tsan_default_options() {
    return "report_thread_leaks=0";
}
#endif

namespace swirl {

/// Whether children of a multi-threaded process may start threads (not with ThreadSanitizer) and allocate memory while
/// the parent's other threads do (the sanitizers' allocators have locks that do not survive fork()).
#if defined(__SANITIZE_THREAD__)
inline constexpr bool children_may_start_threads = false, children_may_take_memory = false;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr bool children_may_start_threads = true, children_may_take_memory = false;
#else
inline constexpr bool children_may_start_threads = true, children_may_take_memory = true;
#endif
inline constexpr const char* not_with_sanitizers = "sanitizers do not survive this";

/// Whether f() is true in a forked process, which gets a minute.
template <class F> bool is_true_in_a_child(F&& f) {
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        alarm(60);
        _exit(f() ? 0 : 1);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Whether f(k) is true in each of so many forked processes, one after the other.
template <class F> testing::AssertionResult is_true_in_children(int children, F&& f) {
    for (int k = 0; k < children; ++k)
        if (!is_true_in_a_child([&] { return f(k); })) return testing::AssertionFailure() << "child " << k;
    return testing::AssertionSuccess();
}

/// While alive, calls work(k) with increasing k on some threads.
class Busy {
public:
    template <class Work> explicit Busy(Work work, int threads = 3) {
        for (int t = 0; t < threads; ++t)
            threads_.emplace_back([this, work](const std::stop_token& stop) {
                while (!stop.stop_requested()) work(next_++);
            });
    }

private:
    std::atomic<int> next_ = 0;
    std::vector<std::jthread> threads_; // destroyed first: joins the threads
};

} // namespace swirl
