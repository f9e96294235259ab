#include "runtime/cpu/quiet_thread.hpp"

#include <signal.h>

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace swirl::runtime {

bool start_quiet_thread(pthread_t& thread, void* (*run)(void*), void* argument) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = pthread_create(&thread, nullptr, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return is_started;
}

void take_lowest_priority() {
#if defined(__linux__)
    constexpr int lowest = 19;
    const auto thread =
        static_cast<id_t>(syscall(SYS_gettid)); // on Linux each thread has a priority of its own
    static_cast<void>(setpriority(PRIO_PROCESS, thread, lowest));
#endif
}

} // namespace swirl::runtime
