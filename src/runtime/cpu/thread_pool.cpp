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
/// For so many nanoseconds teams do not wait for a worker that did not respond in time, unless it saves more than that costs;
/// each time it is late again, twice as long.
constexpr std::int64_t shortest_absence = 1'000'000, longest_absence = 64'000'000;
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

/// A call of workers 0 … workers−1. The word of a call that a worker has finished has the lowest bit set, too.
struct ThreadPool::CallWord {
    static constexpr unsigned bits_of_workers = 12;
    static constexpr std::uint32_t most_workers = (1U << bits_of_workers) - 1, finished = 1,
                                   pool_ends = ~std::uint32_t{0};

    /// The call that follows `word`, of so many workers.
    static std::uint32_t next(std::uint32_t word, std::size_t workers) {
        return ((word >> number_at) + 1) << number_at | static_cast<std::uint32_t>(workers) << 1;
    }
    static bool wants(std::uint32_t word, std::uint32_t worker) {
        return worker < (word >> 1 & most_workers);
    }
    /// Whether a call is earlier than the other; numbers wrap around.
    static bool is_before(std::uint32_t word, std::uint32_t other) {
        return static_cast<std::int32_t>(number(word) - number(other)) < 0;
    }

private:
    static constexpr unsigned number_at = bits_of_workers + 1;
    static std::uint32_t number(std::uint32_t word) { return word & ~((1U << number_at) - 1); }
};

struct ThreadPool::Worker {
    Worker(ThreadPool& owner, std::uint32_t its_number) : pool(owner), number(its_number) {}

    /// Ends its sleep.
    void wake() {
        if (is_asleep.load() == 0) return;
        is_asleep.store(0);
        is_asleep.notify_one();
    }

    /// CallWord to which it responded, or which it finished.
    alignas(64) std::atomic<std::uint32_t> answer = 0;
    alignas(64) std::atomic<std::uint32_t> is_asleep = 0;
    int member = 0; ///< its index in the team that has begun; 0: it came too late
    // Known to the caller alone, in nanoseconds: until when it counts as absent, and for how long the last time.
    std::int64_t absent_until = 0, absence = 0;
    ThreadPool& pool;
    std::uint32_t number;
    pthread_t thread{};
};

ThreadPool::ThreadPool() : waits_for_all_(environment_variable("SWIRL_FULL_TEAMS") != nullptr) {}

ThreadPool::~ThreadPool() {
    called_.store(CallWord::pool_ends);
    for (const auto& worker : workers_) worker->wake();
    for (const auto& worker : workers_) pthread_join(worker->thread, nullptr);
}

/// False: this process can start no more threads.
bool ThreadPool::add_worker() {
    auto worker = std::make_unique<Worker>(*this, static_cast<std::uint32_t>(workers_.size()));
    const auto start = [](void* mine) -> void* {
        Worker& itself = *static_cast<Worker*>(mine);
        itself.pool.worker_loop(itself);
        return nullptr;
    };
    const bool started = start_quiet_thread(worker->thread, start, worker.get());
    if (started) workers_.push_back(std::move(worker));
    return started;
}

/// The call after `last` in which the worker is wanted.
std::uint32_t ThreadPool::next_call(Worker& worker, std::uint32_t last, SpinWait& wait) {
    std::uint32_t call = last;
    // Sequentially consistent: the worker writes is_asleep and then reads called_, the caller writes called_ and then reads is_asleep.
    const auto is_called = [&] {
        call = called_.load();
        return call != last && CallWord::wants(call, worker.number);
    };
    wait.until(is_called, [&] {
        worker.is_asleep.store(1);
        if (!is_called()) worker.is_asleep.wait(1);
        worker.is_asleep.store(0);
    });
    return call;
}

void ThreadPool::worker_loop(Worker& worker) {
    SpinWait wait;
    for (std::uint32_t call = 0; (call = next_call(worker, call, wait)) != CallWord::pool_ends;) {
        worker.answer.store(call, std::memory_order_release);
        for (std::uint32_t begun; CallWord::is_before(begun = begun_.load(std::memory_order_acquire), call);)
            wait.while_equal(begun_, begun);
        if (worker.member == 0) continue;
        call_->run_member(worker.member, wait);
        worker.answer.store(call | CallWord::finished, std::memory_order_release);
        worker.answer.notify_one();
    }
}

void ThreadPool::call_workers(std::size_t count) {
    called_.store(CallWord::next(called_.load(std::memory_order_relaxed), count));
    for (std::size_t k = 0; k < count; ++k) workers_[k]->wake();
}

/// Calls as many workers as a team of `wanted` needs; those that respond become `present_`. `expected`: nanoseconds of the
/// work on one thread.
void ThreadPool::gather(std::size_t wanted, std::int64_t expected) {
    workers_.reserve(wanted - 1);
    const std::size_t known = workers_.size();
    while (workers_.size() + 1 < wanted && add_worker()) continue;
    const std::int64_t least = workers_.size() > known ? timeout_for_new_threads : min_timeout;
    const std::size_t called = std::min(workers_.size(), wanted - 1);
    call_workers(called);
    const std::uint32_t call = called_.load(std::memory_order_relaxed);
    const auto responded = [&](const std::unique_ptr<Worker>& worker) {
        return worker->answer.load(std::memory_order_acquire) == call;
    };
    const auto end = workers_.begin() + static_cast<std::ptrdiff_t>(called);
    const std::int64_t begin = monotonic_nanoseconds();
    const auto is_expected = [&](const std::unique_ptr<Worker>& worker) {
        return worker->absent_until <= begin;
    };
    for (;;) {
        std::size_t members = 1, expected_soon = 0; // who is missing
        for (auto worker = workers_.begin(); worker != end; ++worker) {
            if (responded(*worker))
                ++members;
            else if (is_expected(*worker))
                ++expected_soon;
        }
        if (members == called + 1) break;
        cpu_pause();
        if (waits_for_all_) {
            std::this_thread::yield();
            continue;
        }
        const std::int64_t worthwhile =
            worthwhile_wait(expected, static_cast<std::int64_t>(members), static_cast<std::int64_t>(wanted));
        if (monotonic_nanoseconds() - begin > (expected_soon > 0 ? std::max(least, worthwhile) : worthwhile))
            break;
    }
    present_.clear();
    for (auto worker = workers_.begin(); worker != end; ++worker) {
        const bool is_present = responded(*worker);
        if (is_present) present_.push_back(worker->get());
        const int member = is_present ? static_cast<int>(present_.size()) : 0;
        if ((*worker)->member != member) (*worker)->member = member;
        if (is_present) {
            // Workers read this cache line while they wait.
            if ((*worker)->absence != 0) (*worker)->absence = (*worker)->absent_until = 0;
        } else if (is_expected(*worker)) {
            (*worker)->absence = std::clamp(2 * (*worker)->absence, shortest_absence, longest_absence);
            (*worker)->absent_until = monotonic_nanoseconds() + (*worker)->absence;
        }
    }
}

/// On the present workers.
void ThreadPool::start(TeamCall& call) {
    const int size = static_cast<int>(present_.size()) + 1;
    call_ = &call;
    call.prepare(size, size <= processors_, barrier_);
    begun_.store(called_.load(std::memory_order_relaxed), std::memory_order_release);
    begun_.notify_all();
}

void ThreadPool::await_workers() {
    const std::uint32_t call = called_.load(std::memory_order_relaxed);
    const bool may_spin = static_cast<int>(present_.size()) < processors_;
    for (const Worker* worker : present_) wait_.while_equal(worker->answer, call, may_spin);
}

/// Returns the nanoseconds that the team saved, or lost (negative) by waiting for workers that were not running.
std::int64_t ThreadPool::run_on_workers(int wanted, std::int64_t expected, TeamCall& call) {
    const std::int64_t asked = monotonic_nanoseconds();
    gather(static_cast<std::size_t>(wanted), expected);
    const std::int64_t begin = monotonic_nanoseconds(), waited_before = wait_.in_long_waits();
    const auto others = static_cast<std::int64_t>(present_.size());
    // Where most are present, the team saves more than the time to gather it.
    std::int64_t lost = 2 * (others + 1) <= wanted ? begin - asked : 0;
    is_busy_.store(!present_.empty(), std::memory_order_relaxed);
    start(call);
    call.run_member(0, wait_);
    await_workers();
    is_busy_.store(false, std::memory_order_relaxed);
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
    wanted = std::min(members_for(wanted, time), static_cast<int>(CallWord::most_workers));
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
