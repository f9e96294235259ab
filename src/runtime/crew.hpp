#pragma once

#include "runtime/brief_wait.hpp"
#include "runtime/team.hpp"

#include <pthread.h>

#include <cfenv>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

/// The threads that teams are made of.
namespace swirl::runtime {

/// Where the members of a team wait for each other.
class Barrier {
public:
    /// `may_spin`: there is a processor for each member.
    void prepare(int size, bool may_spin) {
        size_ = static_cast<std::uint32_t>(size);
        may_spin_ = may_spin;
    }
    void wait(BriefWait& how);

private:
    std::uint32_t size_ = 1;
    bool may_spin_ = true;
    alignas(64) std::atomic<std::uint32_t> arrived_ = 0;
    alignas(64) std::atomic<std::uint32_t> round_ = 0;
};

/// What one of a team's members threw, to be thrown again by the thread that called them.
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

/// The threads that help one thread, its caller. They wait for its calls until the crew ends.
///
/// Where other programs keep the processors busy a helper may get one only after milliseconds, and a team is as slow as its
/// slowest member. So who is not there soon after a call is left out of it; and after a team has lost time by
/// waiting for members that did not run, the caller works alone for a while, long enough that what waiting loses is little
/// beside what is worked.
class Crew {
public:
    using Body = std::function<void(const TeamMember&)>;

    Crew();
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    /// Runs `body` as a team of `wanted` members at most. `seconds`: how long one thread would take, about, or less.
    void run(int wanted, double seconds, const Body& body);

    /// True if a signal's handler has left a call, to end the process.
    bool is_at_work() const { return at_work_.load(std::memory_order_relaxed) != 0; }
    /// In a forked child, which has no helpers.
    void forget_helpers();

private:
    /// What is up with a helper: its caller calls, it comes, its caller lets it begin.
    enum State : std::uint32_t { idle, called, present, working, ended };
    struct Helper;

    bool add_helper();
    void gather(std::size_t wanted, std::int64_t patience);
    void work_together(const Body& body);
    void take_part(int number, BriefWait& wait);
    void serve(Helper& helper);

    std::vector<std::unique_ptr<Helper>> helpers_;
    BriefWait wait_;     ///< the caller's
    bool waits_for_all_; ///< whatever it costs
    int processors_ = 1;
    std::int64_t alone_until_ = 0; ///< nanoseconds
    // Of the call in progress:
    std::vector<Helper*> present_;
    const Body* body_ = nullptr;
    Failure* failure_ = nullptr;
    std::fenv_t environment_{};  ///< of the caller
    bool is_in_section_ = false; ///< the caller: of ForkSection
    int size_ = 1;
    Barrier barrier_;
    alignas(64) std::atomic<std::uint32_t> at_work_ = 0; ///< helpers that have not finished
};

/// Whether the calling thread is in a team, be it alone.
bool is_team_member();
void run_alone(const Crew::Body& body);

} // namespace swirl::runtime
