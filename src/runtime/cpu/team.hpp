#pragma once

#include <cstdint>
#include <functional>

/// Teams: threads that work on one call together.
namespace swirl::runtime {

/// Processors the calling thread may use, as its affinity and the process's quota of time allow; at least 1.
int processors();

/// The size of a team requested here: 1 inside an OpenMP parallel region or a team, else `wanted`. More threads do not
/// help a caller that already runs on all processors.
int team_size(int wanted);

/// One thread of a running team.
class TeamMember {
public:
    using BarrierFunction = void (*)(void* context);
    TeamMember(int index, int size, BarrierFunction barrier_all, void* context)
        : index_(index), size_(size), barrier_(barrier_all), context_(context) {}
    int index() const { return index_; } ///< 0: on swirl's own threads, the one that called run_team
    int size() const { return size_; }
    /// Barrier over all members; writes before it are visible to all members after it.
    void barrier() const { barrier_(context_); }

private:
    int index_;
    int size_;
    BarrierFunction barrier_;
    void* context_;
};

/// Runs `body` on up to team_size(wanted) threads at once, swirl's own or the program's (parallel_for.hpp), all with the caller's floating-point environment (rounding,
/// handling of denormals), and returns when all have finished. Threads that get no processor in time are left out, so
/// that a caller on a busy host does not wait long; `seconds`, a lower bound on what `body` takes on one thread, tells
/// how long waiting pays. Every member must call barrier() equally often. The first exception of a member is rethrown
/// here after all have returned; a body that uses the barrier must not throw.
void run_team(int wanted, const std::function<void(const TeamMember&)>& body, double seconds = 0);

/// A member's range of the iterations 0 … iterations−1: contiguous, in multiples of `grain` except for the last.
struct IterationRange {
    std::int64_t first;
    std::int64_t last; ///< exclusive
};
IterationRange partition_of(std::int64_t iterations, std::int64_t grain, int member, int members);

} // namespace swirl::runtime
