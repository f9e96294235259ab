#include "runtime/cpu/quiet_thread.hpp"

#include <signal.h>

#if defined(__linux__)
#include <sched.h>
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

void yield_to_all_others() {
#if defined(__linux__)
    const sched_param none{};
    if (pthread_setschedparam(pthread_self(), SCHED_IDLE, &none) == 0) return;
    constexpr int lowest = 19;
    const auto thread =
        static_cast<id_t>(syscall(SYS_gettid)); // on Linux each thread has a priority of its own
    static_cast<void>(setpriority(PRIO_PROCESS, thread, lowest));
#endif
}

} // namespace swirl::runtime
