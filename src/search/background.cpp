#include "search/background.hpp"

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "base/log.hpp"
#include "plan/memory_need.hpp"
#include "plan/schedule.hpp"
#include "problem/syntax.hpp"
#include "runtime/cpu/quiet_thread.hpp"
#include "runtime/timer.hpp"
#include "search/options.hpp"
#include "search/planner.hpp"
#include "search/timer/cpu/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <limits>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

namespace swirl::search {

namespace {

/// Whether the calling thread is the one that searches.
thread_local bool is_searching = false;

struct Job {
    explicit Job(BackgroundSearch wanted)
        : search(std::move(wanted)), problem(search.problem), target(target_of(search.options)) {
        if (!search.options.swap_schedule)
            key = fmt::format("{} | {}", to_text(problem), std::get<const target::Cpu*>(target)->name);
    }

    BackgroundSearch search; ///< the thread's own
    const Problem problem;
    const Target target;
    const Environment environment; ///< when the plan was made
    std::string key;               ///< equal for searches with the same result; empty: its plan waits for it
    std::atomic<bool> is_stopped = false;
};

/// Counts the time of its thread, and takes memory only within the limit.
class BackgroundTimer final : public Timer {
public:
    explicit BackgroundTimer(std::size_t memory_limit) : memory_limit_(memory_limit) {}

    double now() override { return timer_.now(); }
    void compare(const Problem& problem, std::span<ScheduleCandidate> candidates, double deadline, Care care,
                 const Observer& observer) override {
        std::visit(
            [&](const auto& kind) {
                planning::require_within(memory_limit_,
                                         {.search = planning::array_bytes(kind), .is_whole = false}, kind);
            },
            problem);
        timer_.compare(problem, candidates, deadline, care, observer);
    }

private:
    std::size_t memory_limit_;
    CpuTimer timer_{1, runtime::Clock::thread};
};

void search_for(const Job& job) {
    const Options& asked = job.search.options;
    const auto is_cancelled = [&] { return job.is_stopped || (asked.cancelled && asked.cancelled()); };
    const bool is_wanted = asked.use_wisdom || !job.search.plan.expired();
    if (!is_wanted) return;
    Options searching = asked;
    searching.effort = Effort::measure;
    searching.planning_limit_seconds = 0;
    searching.cancelled = is_cancelled;
    // The schedule of one thread decides the bits at any number of threads. Products are timed on one thread anyway.
    if (std::holds_alternative<Transform>(job.problem)) searching.threads = 1;
    BackgroundTimer timer(asked.memory_limit_bytes);
    const std::string found = to_string(choose_schedule(job.problem, job.target, searching, &timer));

    const std::shared_ptr<LivingPlan> plan = job.search.plan.lock();
    if (plan == nullptr || !plan->may_be_replaced()) return;
    // As the next plan of the problem would be: for several threads wisdom may know more than one thread's schedule.
    Options next = options_until_found(asked);
    next.planning_limit_seconds = 0;
    next.cancelled = is_cancelled;
    if (!asked.use_wisdom) next.schedule = found;
    next.schedule = to_string(choose_schedule(job.problem, job.target, next));
    if (next.schedule != plan->schedule()) plan->replace(make_plan(job.problem, job.target, next));
}

/// Nobody waits for the result: errors are logged.
void log_failure(const Job& job, const char* why) noexcept {
    try {
        log_warning(
            fmt::format("the search for '{}' in the background ended: {}", to_text(job.problem), why));
    } catch (...) { // of the user's function, or no memory for the line
    }
}

void carry_out(Job& job) {
    {
        const EnvironmentScope environment(job.environment);
        const LogSink sink(job.search.options.log);
        try {
            search_for(job);
        } catch (const Cancelled&) { // as asked for
        } catch (const std::exception& error) {
            log_failure(job, error.what());
        } catch (...) {
            log_failure(job, "an exception of unknown type");
        }
    }
    job.search.options = Options(); // destroys the user's functions, which may plan, without the queue's lock
}

/// Polls: what other threads wait on may be left in any state for a child of fork(). False: not within so many seconds.
template <class Condition> bool become_true(Condition&& condition, double seconds) {
    const double begin = runtime::monotonic_seconds();
    while (!condition()) {
        if (!(runtime::monotonic_seconds() - begin < seconds)) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// The searches of this process, and the thread that carries them out. The thread ends when there are none.
class Queue {
public:
    /// False: the system has no thread for it.
    bool add(const std::shared_ptr<Job>& job) {
        const std::lock_guard lock(mutex_);
        forget_parent();
        if (is_closed_ || is_pending(job->key)) return true;
        if (!is_registered_) is_registered_ = std::atexit(close_queue) == 0;
        if (!is_registered_) return false;
        jobs_.push_back(job);
        if (!is_running_ && !start()) jobs_.clear();
        return is_running_;
    }

    std::vector<Problem> pending() {
        const std::lock_guard lock(mutex_);
        forget_parent();
        std::vector<Problem> result;
        for (const auto& job : jobs_) result.push_back(job->problem);
        return result;
    }

    Integer stop() {
        std::deque<std::shared_ptr<Job>> stopped; // destroyed without the lock
        {
            const std::lock_guard lock(mutex_);
            forget_parent();
            if (jobs_.empty()) return 0;
            jobs_.front()->is_stopped = true;
            stopped.swap(jobs_);
            jobs_.push_back(stopped.front());
        }
        if (!is_searching) become_true([&] { return !is_first(stopped.front()); }, forever);
        return static_cast<Integer>(stopped.size());
    }

    /// From now on there are no searches, and no thread.
    void close() {
        {
            const std::lock_guard lock(mutex_);
            forget_parent();
            is_closed_ = true;
        }
        stop();
        if (is_searching || !has_thread_) return;
        pthread_join(thread_, nullptr);
        has_thread_ = false;
    }

    static Queue& of_process() {
        static constinit LazyValue<Queue> queue;
        return queue.get([] { return Queue(); });
    }

private:
    static constexpr double forever = std::numeric_limits<double>::infinity();
    static void close_queue() { of_process().close(); }

    /// In a child of fork() the queue is empty. The parent's searches are not destroyed: its thread may have been
    /// changing them.
    void forget_parent() {
        if (std::exchange(forks_, forks()) == forks()) return;
        static_cast<void>(new std::deque<std::shared_ptr<Job>>(std::move(jobs_)));
        jobs_ = {};
        has_thread_ = is_running_ = false;
    }

    bool is_pending(const std::string& key) const {
        return !key.empty() &&
               std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& job) { return job->key == key; });
    }

    bool start() {
        if (has_thread_) pthread_join(thread_, nullptr); // it has found the queue empty
        const auto run = [](void* queue) -> void* {
            static_cast<Queue*>(queue)->run();
            return nullptr;
        };
        return has_thread_ = is_running_ = runtime::start_quiet_thread(thread_, run, this);
    }

    void run() {
        is_searching = true;
        runtime::take_lowest_priority();
        for (std::shared_ptr<Job> job = first(); job != nullptr; job = after(job)) carry_out(*job);
    }

    std::shared_ptr<Job> first() {
        const std::lock_guard lock(mutex_);
        return jobs_.front();
    }
    bool is_first(const std::shared_ptr<Job>& job) {
        const std::lock_guard lock(mutex_);
        return !jobs_.empty() && jobs_.front() == job;
    }
    /// Null: the queue is empty, and the thread ends.
    std::shared_ptr<Job> after(const std::shared_ptr<Job>& done) {
        const std::lock_guard lock(mutex_);
        forget_parent(); // a function of the options may have forked
        if (jobs_.empty() || jobs_.front() != done) return nullptr;
        jobs_.pop_front();
        is_running_ = !jobs_.empty();
        return is_running_ ? jobs_.front() : nullptr;
    }

    ForkSafeMutex mutex_;
    std::deque<std::shared_ptr<Job>> jobs_; ///< the first is the thread's
    pthread_t thread_{};
    bool has_thread_ = false, is_running_ = false; ///< a thread to join; one that takes further searches
    bool is_registered_ = false, is_closed_ = false;
    std::uint64_t forks_ = forks();
};

} // namespace

void require_background(const Options& options) {
    check(options);
    if (options.device.is_gpu())
        throw Unsupported(
            "effort is background, but the device is {}: only plans for CPUs are tuned while the program "
            "runs\n"
            "  use measure; or estimate, with which the first plan of a problem on a GPU times a shortlist",
            options.device.text());
    if (!options.use_wisdom && !options.swap_schedule)
        throw UserError(
            "effort is background, but use_wisdom and swap_schedule are false: no plan would use what is "
            "found\n"
            "  set one of them, or use estimate");
}

Options options_until_found(const Options& options) {
    Options result = options;
    result.effort = Effort::estimate;
    result.time_budget_seconds.reset();
    return result;
}

void search_in_background(BackgroundSearch search) {
    const ForkSection section;
    const auto job = std::make_shared<Job>(std::move(search));
    const LogSink sink(job->search.options.log);
    if (!Queue::of_process().add(job)) log_failure(*job, "the system has no thread for it");
}

std::vector<Problem> pending_searches() { return Queue::of_process().pending(); }

bool wait_for_searches(double seconds) {
    const auto is_empty = [] { return pending_searches().empty(); };
    return become_true(is_empty, is_searching ? 0 : seconds);
}

Integer stop_searches() { return Queue::of_process().stop(); }

} // namespace swirl::search
