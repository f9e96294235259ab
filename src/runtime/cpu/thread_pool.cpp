#include "runtime/cpu/thread_pool.hpp"

#include "base/environment.hpp"
#include "base/fork_gate.hpp"
#include "runtime/cpu/parallel_for.hpp"
#include "runtime/cpu/quiet_thread.hpp"

#include <algorithm>
#include <thread>

namespace swirl::runtime {
namespace {

/// Minimum nanoseconds that workers have to join: waking a sleeper takes some 50,000, starting a thread more.
constexpr std::int64_t min_timeout = 100'000, timeout_for_new_threads = 20'000'000;
/// A wait may exceed the caller's own work by this many nanoseconds before its members count as not running.
constexpr std::int64_t longest_harmless_wait = 200'000;
/// After a loss beyond what teams have saved, the caller works alone for this multiple of it.
constexpr std::int64_t serial_factor = 4;
/// Of the nanoseconds saved, so many at most make up for later losses: more is lost before the caller notices that the
/// processors have become busy.
constexpr std::int64_t most_credit = 30'000'000;

/// The processors that may be used are counted anew after so many nanoseconds: affinities change.
constexpr std::int64_t count_is_valid = 1'000'000;

/// How long missing members are worth waiting for: what they save if they come. A caller alone waits for half the duration of
/// the work at most, and so finishes after 1.5 times that duration.
std::int64_t worthwhile_wait(std::int64_t expected, std::int64_t members, std::int64_t wanted) {
    return std::min(expected / members - expected / wanted, expected / 2);
}

/// Active members of all teams of this process.
std::atomic<int> all_at_work = 0;
std::atomic<std::uint64_t> counted_after_forks = 0;

/// While alive, the members of a team count as at work.
class AtWork {
public:
    explicit AtWork(int members) : members_(members), forks_(forks()) {
        if (counted_after_forks.exchange(forks_) != forks_) all_at_work = 0; // the teams of the parent
        all_at_work.fetch_add(members_, std::memory_order_relaxed);
    }
    ~AtWork() {
        if (forks_ == forks()) all_at_work.fetch_sub(members_, std::memory_order_relaxed);
    }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

private:
    int members_;
    std::uint64_t forks_;
};

} // namespace

struct ThreadPool::Worker {
    explicit Worker(ThreadPool& owner) : pool(owner) {}

    /// Moves from state `from` to `to`; true if the state was `from`.
    bool change(State from, State to) {
        std::uint32_t expected = from;
        return state.compare_exchange_strong(expected, to, std::memory_order_acq_rel);
    }
    void tell(State news) {
        state.store(news, std::memory_order_release);
        state.notify_one();
    }

    alignas(64) std::atomic<std::uint32_t> state = idle;
    ThreadPool& pool;
    int index = 0; ///< member index in the next team
    pthread_t thread{};
};

ThreadPool::ThreadPool() : waits_for_all_(environment_variable("SWIRL_FULL_TEAMS") != nullptr) {}

ThreadPool::~ThreadPool() {
    for (const auto& worker : workers_) worker->tell(ended);
    for (const auto& worker : workers_) pthread_join(worker->thread, nullptr);
}

/// False: this process can start no more threads.
bool ThreadPool::add_worker() {
    auto worker = std::make_unique<Worker>(*this);
    const auto start = [](void* mine) -> void* {
        Worker& itself = *static_cast<Worker*>(mine);
        itself.pool.worker_loop(itself);
        return nullptr;
    };
    const bool started = start_quiet_thread(worker->thread, start, worker.get());
    if (started) workers_.push_back(std::move(worker));
    return started;
}

void ThreadPool::worker_loop(Worker& worker) {
    for (SpinWait wait;;) {
        wait.while_equal(worker.state, idle);
        worker.change(called, present); // otherwise it came too late, or is to end
        wait.while_equal(worker.state, present);
        const std::uint32_t state = worker.state.load(std::memory_order_acquire);
        if (state == ended) return;
        if (state != working) continue;
        call_->run_member(worker.index, wait);
        worker.state.store(idle, std::memory_order_release);
        if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
    }
}

/// Calls as many workers as a team of `wanted` needs; those that respond become `present_`. `expected`: nanoseconds of the
/// work on one thread.
void ThreadPool::gather(std::size_t wanted, std::int64_t expected) {
    workers_.reserve(wanted - 1);
    const std::size_t known = workers_.size();
    while (workers_.size() + 1 < wanted && add_worker()) continue;
    const std::int64_t least = workers_.size() > known ? timeout_for_new_threads : min_timeout;
    present_.clear();
    for (const auto& worker : workers_)
        if (present_.size() + 1 < wanted) present_.push_back(worker.get());
    for (Worker* worker : present_) worker->tell(called);
    const auto is_missing = [](const Worker* worker) {
        return worker->state.load(std::memory_order_acquire) == called;
    };
    const std::int64_t begin = monotonic_nanoseconds();
    while (const auto missing = std::count_if(present_.begin(), present_.end(), is_missing)) {
        const auto members = static_cast<std::int64_t>(present_.size()) + 1 - missing;
        cpu_pause();
        if (waits_for_all_)
            std::this_thread::yield();
        else if (monotonic_nanoseconds() - begin >
                 std::max(least, worthwhile_wait(expected, members, static_cast<std::int64_t>(wanted))))
            break;
    }
    std::erase_if(present_, [](Worker* worker) { return worker->change(called, idle); });
}

/// Runs on the caller and the present workers.
void ThreadPool::run_present(TeamCall& call) {
    const int size = static_cast<int>(present_.size()) + 1;
    call_ = &call;
    call.prepare(size, size <= processors_);
    busy_.store(static_cast<std::uint32_t>(present_.size()), std::memory_order_relaxed);
    int index = 0;
    for (Worker* worker : present_) {
        worker->index = ++index;
        worker->tell(working);
    }
    call.run_member(0, wait_);
    while (const std::uint32_t left = busy_.load(std::memory_order_acquire))
        wait_.while_equal(busy_, left, size <= processors_);
}

/// Returns the nanoseconds that the team saved, or lost (negative) by waiting for workers that were not running.
std::int64_t ThreadPool::run_on_workers(int wanted, std::int64_t expected, TeamCall& call) {
    const std::int64_t asked = monotonic_nanoseconds();
    gather(static_cast<std::size_t>(wanted), expected);
    const std::int64_t begin = monotonic_nanoseconds(), waited_before = wait_.in_long_waits();
    const auto others = static_cast<std::int64_t>(present_.size());
    // Where most are present, the team saves more than the time to gather it.
    std::int64_t lost = 2 * (others + 1) <= wanted ? begin - asked : 0;
    if (present_.empty())
        call.run_serially();
    else
        run_present(call);
    const std::int64_t waited = wait_.in_long_waits() - waited_before;
    const std::int64_t own_work = monotonic_nanoseconds() - begin - waited;
    lost += std::max<std::int64_t>(waited - own_work - longest_harmless_wait, 0);
    return others * own_work - lost;
}

/// As many members as find a free processor.
int ThreadPool::members_for(int wanted, std::int64_t time) {
    if (time - counted_at_ > count_is_valid) {
        processors_ = processors();
        counted_at_ = time;
    }
    if (waits_for_all_) return wanted;
    const int at_work = counted_after_forks == forks() ? all_at_work.load(std::memory_order_relaxed) : 0;
    return std::clamp(processors_ - at_work, 1, wanted);
}

void ThreadPool::run(int wanted, double seconds, const TeamBody& body) {
    const std::int64_t time = monotonic_nanoseconds();
    const auto expected = static_cast<std::int64_t>(1e9 * std::clamp(seconds, 0.0, 1e6));
    if (time + expected < serial_until_) return run_serially(body);
    wanted = members_for(wanted, time);
    const AtWork here(wanted);
    if (wanted == 1) return run_serially(body);
    TeamCall call(body);
    const ParallelFor* const users = parallel_for();
    const std::int64_t saved =
        users != nullptr ? -run_by(*users, wanted, std::max(expected / 2, min_timeout), processors_, call)
                         : run_on_workers(wanted, expected, call);
    credit_ = std::min(credit_ + saved, most_credit);
    if (credit_ < 0) {
        if (!waits_for_all_) serial_until_ = monotonic_nanoseconds() - serial_factor * credit_;
        credit_ = 0;
    }
    call.rethrow();
}

void ThreadPool::drop_workers() { workers_.clear(); }

} // namespace swirl::runtime
