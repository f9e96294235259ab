#pragma once

#include "runtime/cpu/spin_wait.hpp"
#include "runtime/cpu/team.hpp"

#include <atomic>
#include <cfenv>
#include <exception>
#include <mutex>
#include <vector>

/// One call of run_team, whatever threads it runs on.
namespace swirl::runtime {

using TeamBody = std::function<void(const TeamMember&)>;

/// The barriers of teams, one team at a time. Each member announces its arrival in a cache line of its own, which member 0 reads, so
/// that no line passes from member to member.
class Barrier {
public:
    /// For a team of `size`; no member of the previous one is left. `may_spin`: every member has a processor.
    void prepare(int size, bool may_spin);
    void wait(int member, SpinWait& how);

private:
    struct alignas(64) Arrival {
        std::atomic<std::uint32_t> round = 0; ///< the last that this member has entered
    };

    int size_ = 1;
    bool may_spin_ = true;
    std::vector<Arrival> arrivals_;
    alignas(64) std::atomic<std::uint32_t> round_ = 0; ///< the last that all members have entered
};

/// A team member's exception, to be rethrown by the calling thread.
class Failure {
public:
    template <class F> void guard(F&& f) noexcept {
        try {
            f();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!first_) first_ = std::current_exception();
            has_failed_.store(true, std::memory_order_relaxed);
        }
    }
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }
    explicit operator bool() const { return has_failed_.load(std::memory_order_relaxed); }

private:
    std::mutex mutex_;
    std::exception_ptr first_;
    std::atomic<bool> has_failed_ = false;
};

/// A body and what its members share. Members run it in the floating-point environment of the thread that made the call, and on its
/// behalf in a ForkSection.
class TeamCall {
public:
    explicit TeamCall(const TeamBody& body);

    /// Before the first member runs. `may_spin`: every member has a processor. `barrier` outlives the call.
    void prepare(int size, bool may_spin, Barrier& barrier);
    /// Runs the body as one member.
    void run_member(int index, SpinWait& wait) noexcept;
    /// Runs the body on this thread alone.
    void run_serially() noexcept;

    int size() const { return size_; }
    void rethrow() const { failure_.rethrow(); }

private:
    const TeamBody& body_;
    std::fenv_t environment_{};
    bool is_in_section_; ///< the calling thread is in a ForkSection
    int size_ = 1;
    Barrier* barrier_ = nullptr;
    Failure failure_;
};

/// Whether the calling thread is in a team, possibly of one.
bool is_team_member();
void run_serially(const TeamBody& body);

} // namespace swirl::runtime
