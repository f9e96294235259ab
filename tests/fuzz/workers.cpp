#include "fuzz/workers.hpp"

#include <swirl/error.hpp>

#include <fmt/format.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <thread>

namespace swirl::fuzz {
namespace {

constexpr std::uint64_t cases_of_a_process = 60, cases_of_a_gpu_process = 500;

/// The target and the case at an index of the common sequence.
struct TargetCase {
    const FuzzTarget* fuzz_target;
    std::uint64_t index; ///< within its target
};

TargetCase case_at(const std::vector<FuzzTarget>& fuzz_targets, std::uint64_t sequence) {
    std::uint64_t round = 0;
    for (const FuzzTarget& fuzz_target : fuzz_targets) round += static_cast<std::uint64_t>(fuzz_target.share);
    std::uint64_t at = sequence % round;
    for (const FuzzTarget& fuzz_target : fuzz_targets) {
        const auto share = static_cast<std::uint64_t>(fuzz_target.share);
        if (at < share) return {&fuzz_target, sequence / round * share + at};
        at -= share;
    }
    return {};
}

std::uint64_t seed_of(std::uint64_t seed, const FuzzTarget& fuzz_target, std::uint64_t index) {
    std::uint64_t name = 14695981039346656037U; // FNV-1a
    for (const char c : std::string_view(fuzz_target.name))
        name = (name ^ static_cast<unsigned char>(c)) * 1099511628211U;
    Random random(seed ^ name);
    return random.word() + index * 0x9e3779b97f4a7c15ULL;
}

/// One process: cases of `record.next` on, every `jobs`-th.
class Worker {
public:
    Worker(const Work& work, Record& record, std::int64_t deadline)
        : work_(work), record_(record), deadline_(deadline), journal_(record) {}

    void run(const std::string& cpu) {
        setting_ = work_.setting;
        setting_.cpu = cpu;
        // The whole library, products and the C interface too, works for this CPU.
        if (!setting_.on_gpu) ::setenv("SWIRL_CPU", cpu.c_str(), 1);
        const std::uint64_t cases = setting_.on_gpu ? cases_of_a_gpu_process : cases_of_a_process;
        // A kernel that fails may take all that the process does on the GPU after it along: another process goes on.
        for (std::uint64_t k = 0; k < cases && !is_over() && !(has_failed_ && setting_.on_gpu); ++k) {
            const std::uint64_t sequence = record_.next;
            record_.next += static_cast<std::uint64_t>(work_.jobs);
            if (work_.only_case >= 0) {
                run_case(work_.fuzz_targets.front(), static_cast<std::uint64_t>(work_.only_case));
                return;
            }
            const TargetCase one = case_at(work_.fuzz_targets, sequence);
            run_case(*one.fuzz_target, one.index);
        }
    }

private:
    bool is_over() const {
        return (work_.only_case < 0 && now() >= deadline_) ||
               (work_.cases > 0 && record_.next >= work_.cases);
    }

    void run_case(const FuzzTarget& fuzz_target, std::uint64_t index) {
        journal_.begin(fmt::format("--only {} --seed {} --case {} {} {}{}", fuzz_target.name, work_.seed,
                                   index, setting_.on_gpu ? "--device" : "--cpu", setting_.cpu,
                                   work_.options));
        const auto fail = [&](std::string_view kind, const char* message) {
            journal_.fail(kind, message);
            has_failed_ = true;
        };
        try {
            fuzz_target.run(seed_of(work_.seed, fuzz_target, index), setting_, journal_);
        } catch (const Failure& failure) {
            fail(failure.kind, failure.what());
        } catch (const UserError& error) {
            fail("refused", error.what());
        } catch (const InternalError& error) {
            fail("internal error", error.what());
        } catch (const std::exception& error) {
            fail("exception", error.what());
        }
        journal_.end();
    }

    const Work& work_;
    Record& record_;
    std::int64_t deadline_;
    Journal journal_;
    Setting setting_;
    bool has_failed_ = false;
};

/// The processes, as their parent sees them.
class Crew {
public:
    explicit Crew(const Work& work) : work_(work), deadline_(now() + milliseconds(work.seconds)) {
        const std::size_t bytes = sizeof(Record) * static_cast<std::size_t>(work.jobs);
        void* const shared =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) throw std::bad_alloc();
        records_ = static_cast<Record*>(shared); // all zero, which is how a record begins
        for (int job = 0; job < work.jobs; ++job) records_[job].next = static_cast<std::uint64_t>(job);
    }

    bool run() {
        for (int job = 0; job < work_.jobs; ++job) start(job);
        while (!jobs_.empty()) {
            int status = 0;
            const pid_t ended = ::waitpid(-1, &status, WNOHANG);
            if (ended > 0) {
                end(ended, status);
            } else {
                end_hanging();
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
        }
        return summarise();
    }

private:
    static std::int64_t milliseconds(double seconds) { return static_cast<std::int64_t>(1000 * seconds); }

    void start(int job) {
        Record& record = records_[job];
        record.began = 0;
        const std::string& cpu = work_.cpus[slices_++ % work_.cpus.size()];
        std::fflush(stdout);
        const pid_t child = ::fork();
        if (child < 0) throw std::bad_alloc();
        if (child > 0) {
            jobs_[child] = job;
            return;
        }
        Worker(work_, record, deadline_).run(cpu);
        std::_Exit(0);
    }

    void end(pid_t child, int status) {
        const auto found = jobs_.find(child);
        if (found == jobs_.end()) return;
        const int job = found->second;
        jobs_.erase(found);
        Record& record = records_[job];
        const bool clean = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (!clean) {
            const std::string how = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status),
                                                                      ::strsignal(WTERMSIG(status)))
                                                        : fmt::format("exit status {}", WEXITSTATUS(status));
            const bool hung = killed_ == child;
            record.count(hung ? "hang" : "crash");
            fmt::print("{}", line_of(hung ? "hang" : "crash", record.doing.data(),
                                     hung ? fmt::format("not done in {} seconds", work_.case_seconds) : how,
                                     record.again.data()));
            ++record.cases;
        }
        const bool is_over =
            work_.only_case >= 0 || now() >= deadline_ || (work_.cases > 0 && record.next >= work_.cases);
        if (!is_over) start(job);
    }

    void end_hanging() {
        for (const auto& [child, job] : jobs_) {
            const std::int64_t began = records_[job].began;
            if (began == 0 || now() - began < milliseconds(work_.case_seconds)) continue;
            killed_ = child;
            records_[job].began = 0;
            ::kill(child, SIGKILL);
            return;
        }
    }

    bool summarise() const {
        std::uint64_t cases = 0, refused = 0, failed = 0;
        std::map<std::string, std::uint64_t> kinds;
        for (int job = 0; job < work_.jobs; ++job) {
            cases += records_[job].cases;
            refused += records_[job].refused;
            for (const Record::Kind& kind : records_[job].failures)
                if (kind.count > 0) {
                    kinds[kind.name.data()] += kind.count;
                    failed += kind.count;
                }
        }
        fmt::print("{} cases, {} of them drawn invalid and refused; {} failures\n", cases, refused, failed);
        for (const auto& [kind, count] : kinds) fmt::print("{:8}  {}\n", count, kind);
        return failed == 0;
    }

    const Work& work_;
    std::int64_t deadline_;
    Record* records_;
    std::map<pid_t, int> jobs_;
    std::size_t slices_ = 0;
    pid_t killed_ = 0;
};

} // namespace

bool run(const Work& work) { return Crew(work).run(); }

} // namespace swirl::fuzz
