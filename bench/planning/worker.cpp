#include "bench/planning/worker.hpp"

#include "base/error.hpp"
#include "plan/memory_need.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
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
#include <fstream>
#include <map>
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
    PlanTables tables;
    char error[1000];
};

double resident_mebibytes() {
    long pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

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
                   static_cast<double>(usage.ru_maxrss) / 1024 - message.mebibytes_before, message.tables.all,
                   message.tables.excused};
    if (!WIFSIGNALED(status)) return result;
    const int signal = WTERMSIG(status);
    result.error = signal == SIGXCPU || signal == SIGKILL
                       ? fmt::format("ended after {:.0f} s", result.seconds)
                       : fmt::format("crashed: {}", strsignal(signal));
    return result;
}

bool is_convolution(const Transform& problem) {
    const auto has_large_prime = [](const Dimension& dimension) {
        return rules::largest_prime_factor(dimension.length) > rules::largest_base_prime;
    };
    return std::any_of(problem.dimensions.begin(), problem.dimensions.end(), has_large_prime);
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

PlanTables make_plan(const Case& one) {
    const Transform problem = swirl::problem(one.problem);
    const auto tables_of = [&](Integer bytes) {
        constexpr double mebibyte = 1 << 20;
        const Integer most = is_convolution(problem) ? 2 * planning::array_bytes(problem) : 0;
        return PlanTables{static_cast<double>(bytes) / mebibyte,
                          static_cast<double>(std::min(bytes, most)) / mebibyte};
    };
    for (const target::Cpu* cpu : target::cpus())
        if (cpu->name == one.target) {
            const auto plan =
                planning::Plan::build(problem, search::estimate(problem, *cpu).schedule, {.check = false});
            return tables_of(static_cast<Integer>(plan->table_bytes()));
        }
    const target::Gpu& gpu = target::gpu_named(one.target);
    std::map<const ir::Table*, Integer> bytes; // programs with equal tables share them
    for (const auto& pass : planning::describe_passes(problem, search::gpu_schedule(problem, gpu)))
        for (const ir::Program& program : pass.programs)
            for (const ir::BufferInfo& buffer : program.buffers)
                if (buffer.contents)
                    bytes[buffer.contents.get()] = static_cast<Integer>(buffer.contents->bytes());
    Integer sum = 0;
    for (const auto& [table, size] : bytes) sum += size;
    return tables_of(sum);
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
