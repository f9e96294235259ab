#pragma once

#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
/// ThreadSanitizer otherwise ends a child of a process with threads that starts one of its own, and misses in the child that the
/// parent's were joined.
extern "C" [[gnu::weak, gnu::used]] const char* __tsan_default_options() {
    return "die_after_fork=0 report_thread_leaks=0";
}
#endif

namespace swirl {

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

} // namespace swirl
