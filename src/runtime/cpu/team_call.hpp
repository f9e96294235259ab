#pragma once

#include "runtime/cpu/spin_wait.hpp"
#include "runtime/cpu/team.hpp"

#include <cfenv>
#include <exception>
#include <mutex>

/// One call of run_team, whatever threads it runs on.
namespace swirl::runtime {

using TeamBody = std::function<void(const TeamMember&)>;

/// The barrier of a team's members.
class Barrier {
public:
    /// `may_spin`: every member has a processor.
    void prepare(int size, bool may_spin) {
        size_ = static_cast<std::uint32_t>(size);
        may_spin_ = may_spin;
    }
    void wait(SpinWait& how);

private:
    std::uint32_t size_ = 1;
    bool may_spin_ = true;
    alignas(64) std::atomic<std::uint32_t> arrived_ = 0;
    alignas(64) std::atomic<std::uint32_t> round_ = 0;
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
        }
    }
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }

private:
    std::mutex mutex_;
    std::exception_ptr first_;
};

/// A body and what its members share. Members run it in the floating-point environment of the thread that made the call, and on its
/// behalf in a ForkSection.
class TeamCall {
public:
    explicit TeamCall(const TeamBody& body);

    /// Before the first member runs. `may_spin`: every member has a processor.
    void prepare(int size, bool may_spin);
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
    Barrier barrier_;
    Failure failure_;
};

/// Whether the calling thread is in a team, possibly of one.
bool is_team_member();
void run_serially(const TeamBody& body);

} // namespace swirl::runtime
