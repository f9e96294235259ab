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

void Barrier::wait(SpinWait& how) {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < size_)
        return how.while_equal(round_, round, may_spin_);
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
}

TeamCall::TeamCall(const TeamBody& body) : body_(body), is_in_section_(ForkSection::is_inside()) {
    std::fegetenv(&environment_);
}

void TeamCall::prepare(int size, bool may_spin) {
    size_ = size;
    barrier_.prepare(size, may_spin);
}

void TeamCall::run_member(int index, SpinWait& wait) noexcept {
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
    failure_.guard([&] { body_(TeamMember(index, size_, wait_for_all, &context)); });
}

void TeamCall::run_serially() noexcept {
    failure_.guard([&] { runtime::run_serially(body_); });
}

} // namespace swirl::runtime
