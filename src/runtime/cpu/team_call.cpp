#include "runtime/cpu/team_call.hpp"

#include "base/fork_gate.hpp"

namespace swirl::runtime {
namespace {

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

void run_serially(const TeamBody& body) {
    const InTeam here;
    body(TeamMember(
        0, 1, [](void*) {}, nullptr));
}

void Barrier::prepare(int size, bool may_spin) {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (arrivals_.size() < static_cast<std::size_t>(size))
        arrivals_ = std::vector<Arrival>(static_cast<std::size_t>(size));
    for (Arrival& arrival : arrivals_)
        if (arrival.round.load(std::memory_order_relaxed) != round)
            arrival.round.store(round, std::memory_order_relaxed);
    size_ = size;
    may_spin_ = may_spin;
}

void Barrier::wait(int member, SpinWait& how) {
    const std::uint32_t before = round_.load(std::memory_order_acquire), next = before + 1;
    if (member != 0) {
        std::atomic<std::uint32_t>& own = arrivals_[static_cast<std::size_t>(member)].round;
        own.store(next, std::memory_order_release);
        own.notify_one();
        return how.while_equal(round_, before, may_spin_);
    }
    for (int other = 1; other < size_; ++other)
        how.until_equal(arrivals_[static_cast<std::size_t>(other)].round, next, may_spin_);
    round_.store(next, std::memory_order_release);
    round_.notify_all();
}

TeamCall::TeamCall(const TeamBody& body) : body_(body), is_in_section_(ForkSection::is_inside()) {
    std::fegetenv(&environment_);
}

void TeamCall::prepare(int size, bool may_spin, Barrier& barrier) {
    size_ = size;
    barrier_ = &barrier;
    barrier.prepare(size, may_spin);
}

void TeamCall::run_member(int index, SpinWait& wait) noexcept {
    const BorrowedEnvironment borrowed(environment_);
    const InTeam here;
    const ForkSection::Joined joined(is_in_section_);
    struct Context {
        Barrier& barrier;
        int member;
        SpinWait& wait;
    } context{*barrier_, index, wait};
    const auto wait_for_all = [](void* mine) {
        const auto& [barrier, member, how] = *static_cast<Context*>(mine);
        barrier.wait(member, how);
    };
    failure_.guard([&] { body_(TeamMember(index, size_, wait_for_all, &context)); });
}

void TeamCall::run_serially() noexcept {
    failure_.guard([&] { runtime::run_serially(body_); });
}

} // namespace swirl::runtime
