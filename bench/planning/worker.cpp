#include "bench/planning/worker.hpp"

#include "base/error.hpp"
#include "bench/support/resident_memory.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "target/cpu.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

namespace swirl::bench {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_shadow_memory = true; // terabytes of address space
#else
constexpr bool has_shadow_memory = false;
#endif

/// A worker's message to its parent process.
struct Message {
    double mebibytes_before;
    double tables;
    char error[1000];
};

void say(Message& message, const char* text) {
    const std::size_t length = std::min(std::strcspn(text, "\n"), sizeof(message.error) - 1);
    std::memcpy(message.error, text, length);
    message.error[length] = 0;
}

[[noreturn]] void run_in_child(const Case& one, const Bounds& bounds, Message& message) {
    message.mebibytes_before = resident_mebibytes();
    const auto seconds = static_cast<rlim_t>(std::ceil(bounds.seconds));
    const rlimit processor{seconds, seconds + 1};
    setrlimit(RLIMIT_CPU, &processor);
    const rlimit core{0, 0};
    setrlimit(RLIMIT_CORE, &core);
    if (!has_shadow_memory) {
        const auto bytes = static_cast<rlim_t>(bounds.mebibytes * (1 << 20));
        const rlimit memory{bytes, bytes};
        // Not the address space, from which plans derive their workspace limit.
        setrlimit(RLIMIT_DATA, &memory);
    }
    try {
        message.tables = make_plan(one);
    } catch (const std::bad_alloc&) {
        say(message, "no memory left");
    } catch (const std::exception& error) {
        say(message, error.what());
    }
    _exit(0); // skips destructors
}

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

Planned planned(const Message& message, int status, const rusage& usage) {
    Planned result{message.error, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
                   static_cast<double>(usage.ru_maxrss) / 1024 - message.mebibytes_before, message.tables};
    if (!WIFSIGNALED(status)) return result;
    const int signal = WTERMSIG(status);
    result.error = signal == SIGXCPU || signal == SIGKILL
                       ? fmt::format("ended after {:.0f} s", result.seconds)
                       : fmt::format("crashed: {}", strsignal(signal));
    return result;
}

struct Job {
    pid_t process = 0; ///< 0: idle
    Case one;
    Message* message = nullptr;
};

void start(Job& job, const Bounds& bounds) {
    *job.message = {};
    job.process = fork();
    if (job.process < 0) throw InternalError("no process could be started: {}", std::strerror(errno));
    if (job.process == 0) run_in_child(job.one, bounds, *job.message);
}

} // namespace

double make_plan(const Case& one) {
    constexpr double mebibyte = 1 << 20;
    const Transform problem = swirl::problem(one.problem);
    for (const target::Cpu* cpu : target::cpus())
        if (cpu->name == one.target) {
            const auto plan =
                planning::Plan::build(problem, search::estimated_schedule(problem, *cpu), {.check = false});
            return static_cast<double>(plan->table_bytes()) / mebibyte;
        }
    const target::Gpu& gpu = target::gpu_named(one.target);
    const auto passes = planning::describe_passes(problem, search::gpu_schedule(problem, gpu));
    return static_cast<double>(planning::table_bytes(passes)) / mebibyte;
}

void plan_in_processes(std::size_t jobs, const Bounds& bounds, const std::function<bool(Case&)>& next,
                       const std::function<void(const Case&, const Planned&)>& finished) {
    std::vector<Job> all(jobs);
    const std::size_t bytes = jobs * sizeof(Message);
    void* const shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw InternalError("no memory to share: {}", std::strerror(errno));
    std::size_t running = 0;
    for (std::size_t k = 0; k < jobs; ++k) {
        all[k].message = static_cast<Message*>(shared) + k;
        if (!next(all[k].one)) break;
        start(all[k], bounds);
        ++running;
    }
    while (running > 0) {
        int status = 0;
        rusage usage{};
        const pid_t process = wait4(-1, &status, 0, &usage);
        const auto job =
            std::find_if(all.begin(), all.end(), [&](const Job& j) { return j.process == process; });
        if (job == all.end()) continue;
        finished(job->one, planned(*job->message, status, usage));
        job->process = 0;
        if (next(job->one))
            start(*job, bounds);
        else
            --running;
    }
    munmap(shared, bytes);
}

} // namespace swirl::bench
