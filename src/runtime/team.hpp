#pragma once

#include <cstdint>
#include <functional>

/// Threads that work on one call together.
namespace swirl::runtime {

/// Processors the calling thread may use; at least 1.
int processors();

/// How many threads a team asked for here may have: 1 inside a parallel region of OpenMP's or a team, else `wanted`.
/// Who already runs on all processors is not helped by more threads.
int team_size(int wanted);

/// One thread of a running team.
class TeamMember {
public:
    using Meet = void (*)(void* context);
    TeamMember(int number, int size, Meet meet_all, void* context)
        : number_(number), size_(size), meet_(meet_all), context_(context) {}
    int number() const { return number_; } ///< 0: the thread that called run_team
    int size() const { return size_; }
    /// Waits for all members; what they wrote before is seen by all after.
    void meet() const { meet_(context_); }

private:
    int number_;
    int size_;
    Meet meet_;
    void* context_;
};

/// Runs `body` on up to team_size(wanted) threads at once and returns when all have, all with the caller's
/// floating-point environment (rounding, handling of denormals). Threads that get no processor in time are left out, so
/// that who works on busy processors does not wait for long; `seconds`, what `body` takes on one thread or less, says how
/// long it is worth waiting for them. Every member meets the others equally often. What a member throws, the first one of
/// them, is thrown again here when all have returned; a body that meets must not throw.
void run_team(int wanted, const std::function<void(const TeamMember&)>& body, double seconds = 0);

/// A member's share of the iterations 0 … iterations−1: contiguous, in multiples of `grain` but for the last.
struct Share {
    std::int64_t first;
    std::int64_t last; ///< one behind
};
Share share_of(std::int64_t iterations, std::int64_t grain, int member, int members);

} // namespace swirl::runtime
