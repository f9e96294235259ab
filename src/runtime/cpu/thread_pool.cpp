#include "runtime/cpu/thread_pool.hpp"

#include "base/fork_gate.hpp"

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace swirl::runtime {
namespace {

/// Minimum nanoseconds that workers have to join: waking a sleeper takes some 50,000, starting a thread more.
constexpr std::int64_t min_timeout = 100'000, timeout_for_new_threads = 20'000'000;
/// A wait may exceed the caller's own work by this many nanoseconds before its members count as not running.
constexpr std::int64_t longest_harmless_wait = 200'000;
/// After a loss the caller works alone for this multiple of the lost time.
constexpr std::int64_t serial_factor = 4;

thread_local bool in_team = false;

/// While alive, the thread computes in the given floating-point environment.
class BorrowedEnvironment {
public:
    explicit BorrowedEnvironment(const std::fenv_t& environment) {
        std::fegetenv(&own_);
        std::fesetenv(&environment);
    }
    ~BorrowedEnvironment() { std::fesetenv(&own_); }
    BorrowedEnvironment(const BorrowedEnvironment&) = delete;
    BorrowedEnvironment& operator=(const BorrowedEnvironment&) = delete;

private:
    std::fenv_t own_;
};

class InTeam {
public:
    InTeam() { in_team = true; }
    ~InTeam() { in_team = before_; }
    InTeam(const InTeam&) = delete;
    InTeam& operator=(const InTeam&) = delete;

private:
    bool before_ = in_team;
};

} // namespace

bool is_team_member() { return in_team; }

void run_serially(const ThreadPool::Body& body) {
    const InTeam here;
    body(TeamMember(
        0, 1, [](void*) {}, nullptr));
}

void Barrier::wait(SpinWait& how) {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < size_)
        return how.while_equal(round_, round, may_spin_);
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
}

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
    int number = 0; ///< member number in the next team
    pthread_t thread{};
};

ThreadPool::ThreadPool() : waits_for_all_(std::getenv("SWIRL_FULL_TEAMS") != nullptr) {}

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
    sigset_t all, before; // signals are for the program's own threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&worker->thread, nullptr, start, worker.get()) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
        run_as_member(worker.number, wait);
        worker.state.store(idle, std::memory_order_release);
        if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
    }
}

/// Calls as many workers as a team of `wanted` needs; those that respond become `present_`.
void ThreadPool::gather(std::size_t wanted, std::int64_t timeout) {
    workers_.reserve(wanted - 1);
    const std::size_t known = workers_.size();
    while (workers_.size() + 1 < wanted && add_worker()) continue;
    if (workers_.size() > known) {
        processors_ = processors();
        timeout = std::max(timeout, timeout_for_new_threads);
    }
    present_.clear();
    for (const auto& worker : workers_)
        if (present_.size() + 1 < wanted) present_.push_back(worker.get());
    for (Worker* worker : present_) worker->tell(called);
    const std::int64_t begin = monotonic_nanoseconds();
    std::erase_if(present_, [&](Worker* worker) {
        while (worker->state.load(std::memory_order_acquire) == called) {
            cpu_pause();
            if (waits_for_all_)
                std::this_thread::yield();
            else if (monotonic_nanoseconds() - begin > timeout && worker->change(called, idle))
                return true;
        }
        return false;
    });
}

void ThreadPool::run_as_member(int number, SpinWait& wait) {
    const BorrowedEnvironment borrowed(environment_);
    const InTeam here;
    const ForkSection::Joined joined(is_in_section_);
    struct Context {
        Barrier& barrier;
        SpinWait& wait;
    } context{barrier_, wait};
    const auto wait_for_all = [](void* mine) {
        const auto& [barrier, how] = *static_cast<Context*>(mine);
        barrier.wait(how);
    };
    failure_->guard([&] { (*body_)(TeamMember(number, size_, wait_for_all, &context)); });
}

/// Runs on the caller and the present workers.
void ThreadPool::run_on_team(const Body& body) {
    body_ = &body;
    size_ = static_cast<int>(present_.size()) + 1;
    std::fegetenv(&environment_);
    is_in_section_ = ForkSection::is_inside();
    barrier_.prepare(size_, size_ <= processors_);
    busy_.store(static_cast<std::uint32_t>(present_.size()), std::memory_order_relaxed);
    int number = 0;
    for (Worker* worker : present_) {
        worker->number = ++number;
        worker->tell(working);
    }
    run_as_member(0, wait_);
    while (const std::uint32_t left = busy_.load(std::memory_order_acquire))
        wait_.while_equal(busy_, left, size_ <= processors_);
}

void ThreadPool::run(int wanted, double seconds, const Body& body) {
    const std::int64_t call = monotonic_nanoseconds();
    const auto expected = static_cast<std::int64_t>(1e9 * std::clamp(seconds, 0.0, 1e6));
    if (call + expected < serial_until_) return run_serially(body);
    // A caller that waits for half the duration of the work finishes after 1.5 times that duration at most.
    gather(static_cast<std::size_t>(wanted), std::max(expected / 2, min_timeout));
    const std::int64_t begin = monotonic_nanoseconds(), waited_before = wait_.in_long_waits();
    std::int64_t lost = static_cast<int>(present_.size()) + 1 < wanted ? begin - call : 0;
    Failure failure;
    failure_ = &failure;
    if (present_.empty())
        failure.guard([&] { run_serially(body); });
    else
        run_on_team(body);
    const std::int64_t end = monotonic_nanoseconds(), waited = wait_.in_long_waits() - waited_before;
    const std::int64_t own_work = end - begin - waited;
    lost += std::max<std::int64_t>(waited - own_work - longest_harmless_wait, 0);
    if (lost > 0 && !waits_for_all_) serial_until_ = end + serial_factor * lost;
    failure.rethrow();
}

void ThreadPool::drop_workers() { workers_.clear(); }

} // namespace swirl::runtime
