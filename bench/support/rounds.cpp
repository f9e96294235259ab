#include "bench/support/rounds.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#if defined(__linux__)
#include <sys/resource.h>
#endif

namespace swirl::bench {

double clock_seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

namespace {

/// How often the system has preempted this thread.
long interruptions() {
#if defined(__linux__)
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
#else
    return 0;
#endif
}

/// Threads of a library may spin for some time after its call. Returns when none does, or after a second.
void wait_for_idle_threads() {
    constexpr double look = 5e-3, idle_fraction = 0.02;
    constexpr int looks = 200;
    for (int k = 0; k < looks; ++k) {
        const double before = clock_seconds(CLOCK_PROCESS_CPUTIME_ID); // of all threads
        std::this_thread::sleep_for(std::chrono::duration<double>(look));
        if (clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - before < idle_fraction * look) return;
    }
}

/// Untimed executions, until the threads that share them are awake: processors that have been idle take milliseconds.
void wake(const runtime::TimedWork& work) {
    constexpr double waking = 5e-3;
    const double start = runtime::monotonic_seconds();
    do work.run();
    while (runtime::monotonic_seconds() - start < waking);
}

constexpr int max_attempts = 20;

/// Seconds per execution. A preempted batch is repeated. Executions so long that they are always preempted are timed by
/// CPU time if they use one thread.
double time_batch(const runtime::TimedWork& work, Integer repetitions, bool on_one_thread) {
    if (!on_one_thread) return runtime::time_once(work, repetitions);
    double least = 0;
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
        const long before = interruptions();
        const double start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
        double seconds = runtime::time_once(work, repetitions);
        const double run =
            (clock_seconds(CLOCK_THREAD_CPUTIME_ID) - start) / static_cast<double>(repetitions);
        if (interruptions() == before) return seconds;
        if (work.restore_every == 0) seconds = std::min(seconds, run);
        least = attempt == 0 ? seconds : std::min(least, seconds);
        constexpr double long_batch = 10e-3; // longer than a scheduler time slice
        if (work.restore_every == 0 && run * static_cast<double>(repetitions) > long_batch) break;
    }
    return least;
}

/// Executions per batch; runs some of them to warm caches and settle clock frequencies.
Integer batch_of(const runtime::TimedWork& work, const RoundOptions& options) {
    if (!options.on_one_thread) wait_for_idle_threads();
    Integer repetitions = 1;
    for (;;) {
        const double each = time_batch(work, repetitions, options.on_one_thread);
        if (each * static_cast<double>(repetitions) >= options.batch / 2)
            return std::max<Integer>(1, static_cast<Integer>(options.batch / each));
        repetitions *= 2;
    }
}

} // namespace

Samples run_rounds(std::span<const runtime::TimedWork> implementations, const RoundOptions& options) {
    const std::size_t count = implementations.size();
    std::vector<Integer> repetitions;
    for (const runtime::TimedWork& work : implementations) repetitions.push_back(batch_of(work, options));

    Samples times(count);
    const double start = runtime::monotonic_seconds();
    for (int round = 0; round < options.rounds; ++round) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t which = (i + static_cast<std::size_t>(round)) % count;
            if (!options.on_one_thread) {
                wait_for_idle_threads();
                wake(implementations[which]);
            }
            times[which].push_back(
                time_batch(implementations[which], repetitions[which], options.on_one_thread));
        }
        const bool enough = round + 1 >= options.min_rounds;
        if (enough && runtime::monotonic_seconds() - start > options.seconds) break;
    }
    return times;
}

} // namespace swirl::bench
