#include "runtime/crew.hpp"

#include "base/fork_gate.hpp"

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace swirl::runtime {
namespace {

/// Nanoseconds that helpers have to come in, at least: sleepers need some 50,000, new threads more.
constexpr std::int64_t shortest_patience = 100'000, patience_for_new_threads = 20'000'000;
/// Waiting may take so much longer than the caller's own work before members are thought not to run.
constexpr std::int64_t longest_harmless_wait = 200'000;
/// For so many times as long as was lost the caller then works alone.
constexpr std::int64_t alone_for = 4;

thread_local bool in_team = false;

/// While alive, the thread computes as the one whose environment it was given.
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

void run_alone(const Crew::Body& body) {
    const InTeam here;
    body(TeamMember(
        0, 1, [](void*) {}, nullptr));
}

void Barrier::wait(BriefWait& how) {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < size_)
        return how.while_equal(round_, round, may_spin_);
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
}

struct Crew::Helper {
    explicit Helper(Crew& its_crew) : crew(its_crew) {}

    /// True if the state was `from`.
    bool change(State from, State to) {
        std::uint32_t expected = from;
        return state.compare_exchange_strong(expected, to, std::memory_order_acq_rel);
    }
    void tell(State news) {
        state.store(news, std::memory_order_release);
        state.notify_one();
    }

    alignas(64) std::atomic<std::uint32_t> state = idle;
    Crew& crew;
    int number = 0; ///< in the team that begins
    pthread_t thread{};
};

Crew::Crew() : waits_for_all_(std::getenv("SWIRL_FULL_TEAMS") != nullptr) {}

Crew::~Crew() {
    for (const auto& helper : helpers_) helper->tell(ended);
    for (const auto& helper : helpers_) pthread_join(helper->thread, nullptr);
}

/// False: there are no more threads for this process.
bool Crew::add_helper() {
    auto helper = std::make_unique<Helper>(*this);
    const auto start = [](void* mine) -> void* {
        Helper& itself = *static_cast<Helper*>(mine);
        itself.crew.serve(itself);
        return nullptr;
    };
    sigset_t all, before; // signals are for the program's own threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&helper->thread, nullptr, start, helper.get()) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (started) helpers_.push_back(std::move(helper));
    return started;
}

void Crew::serve(Helper& helper) {
    for (BriefWait wait;;) {
        wait.while_equal(helper.state, idle);
        helper.change(called, present); // else it came too late, or is to end
        wait.while_equal(helper.state, present);
        const std::uint32_t state = helper.state.load(std::memory_order_acquire);
        if (state == ended) return;
        if (state != working) continue;
        take_part(helper.number, wait);
        helper.state.store(idle, std::memory_order_release);
        if (at_work_.fetch_sub(1, std::memory_order_acq_rel) == 1) at_work_.notify_one();
    }
}

/// Calls helpers, as many as a team of `wanted` needs, and makes those who come `present_`.
void Crew::gather(std::size_t wanted, std::int64_t patience) {
    helpers_.reserve(wanted - 1);
    const std::size_t known = helpers_.size();
    while (helpers_.size() + 1 < wanted && add_helper()) continue;
    if (helpers_.size() > known) {
        processors_ = processors();
        patience = std::max(patience, patience_for_new_threads);
    }
    present_.clear();
    for (const auto& helper : helpers_)
        if (present_.size() + 1 < wanted) present_.push_back(helper.get());
    for (Helper* helper : present_) helper->tell(called);
    const std::int64_t begin = monotonic_nanoseconds();
    std::erase_if(present_, [&](Helper* helper) {
        while (helper->state.load(std::memory_order_acquire) == called) {
            pause_briefly();
            if (waits_for_all_)
                std::this_thread::yield();
            else if (monotonic_nanoseconds() - begin > patience && helper->change(called, idle))
                return true;
        }
        return false;
    });
}

void Crew::take_part(int number, BriefWait& wait) {
    const BorrowedEnvironment borrowed(environment_);
    const InTeam here;
    const ForkSection::Joined joined(is_in_section_);
    struct Context {
        Barrier& barrier;
        BriefWait& wait;
    } context{barrier_, wait};
    const auto meet = [](void* mine) {
        const auto& [barrier, how] = *static_cast<Context*>(mine);
        barrier.wait(how);
    };
    failure_->guard([&] { (*body_)(TeamMember(number, size_, meet, &context)); });
}

/// The caller and those who are present.
void Crew::work_together(const Body& body) {
    body_ = &body;
    size_ = static_cast<int>(present_.size()) + 1;
    std::fegetenv(&environment_);
    is_in_section_ = ForkSection::is_inside();
    barrier_.prepare(size_, size_ <= processors_);
    at_work_.store(static_cast<std::uint32_t>(present_.size()), std::memory_order_relaxed);
    int number = 0;
    for (Helper* helper : present_) {
        helper->number = ++number;
        helper->tell(working);
    }
    take_part(0, wait_);
    while (const std::uint32_t left = at_work_.load(std::memory_order_acquire))
        wait_.while_equal(at_work_, left, size_ <= processors_);
}

void Crew::run(int wanted, double seconds, const Body& body) {
    const std::int64_t call = monotonic_nanoseconds();
    const auto expected = static_cast<std::int64_t>(1e9 * std::clamp(seconds, 0.0, 1e6));
    if (call + expected < alone_until_) return run_alone(body);
    // Who waits for half as long as the work takes is done after half as long again at most.
    gather(static_cast<std::size_t>(wanted), std::max(expected / 2, shortest_patience));
    const std::int64_t begin = monotonic_nanoseconds(), waited_before = wait_.in_long_waits();
    std::int64_t lost = static_cast<int>(present_.size()) + 1 < wanted ? begin - call : 0;
    Failure failure;
    failure_ = &failure;
    if (present_.empty())
        failure.guard([&] { run_alone(body); });
    else
        work_together(body);
    const std::int64_t end = monotonic_nanoseconds(), waited = wait_.in_long_waits() - waited_before;
    const std::int64_t own_work = end - begin - waited;
    lost += std::max<std::int64_t>(waited - own_work - longest_harmless_wait, 0);
    if (lost > 0 && !waits_for_all_) alone_until_ = end + alone_for * lost;
    failure.rethrow();
}

void Crew::forget_helpers() { helpers_.clear(); }

} // namespace swirl::runtime
