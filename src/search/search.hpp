#pragma once

#include "search/candidates/search_space.hpp"
#include "search/timer/timer.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

/// Finds the fastest schedule by timing.
namespace swirl::search {

struct SearchSetting {
    double seconds;                                        ///< time budget, approximate; infinite: no limit
    std::function<void(const std::string&)> progress = {}; ///< called with a progress line now and then
    std::function<void()> interrupt = {};                  ///< called often; throws to cancel the search
    std::function<bool()> enough = {}; ///< called often; true: the search ends with its incumbent
};

/// A timer with a budget, which reports its progress and can be cancelled.
class Benchmark {
public:
    Benchmark(const Problem& problem, Timer& timer, const SearchSetting& setting);

    double now() { return timer_.now(); }
    /// The time when this fraction of the budget is spent.
    double at(double fraction) const { return begin_ + fraction * setting_.seconds; }

    /// Compares candidates for the problem of the search, or for one of its subproblems.
    void compare(std::span<ScheduleCandidate> candidates, double deadline, Care care);
    void compare_subproblem(const Problem& subproblem, std::span<ScheduleCandidate> candidates,
                            double deadline);

    /// Some candidate of the search is not timed for lack of time.
    void leave_out() { is_complete_ = false; }
    bool is_complete() const { return is_complete_; }

    /// Reports a line, if anyone listens.
    void say(const std::string& line) const;
    const Problem& problem() const { return problem_; }

private:
    void benchmark(const Problem& problem, std::span<ScheduleCandidate> candidates, double deadline,
                   Care care);
    void report(const Problem& problem, std::span<const ScheduleCandidate> candidates, std::size_t which);

    const Problem& problem_;
    Timer& timer_;
    const SearchSetting& setting_;
    double begin_;
    double best_seconds_ = std::numeric_limits<double>::infinity(); ///< of the problem so far
    double last_report_;
    bool is_complete_ = true;
};

struct SearchResult {
    ScheduleCandidate best;      ///< its time is infinite if the budget allowed no comparison
    double estimate_seconds = 0; ///< of the estimate, from the last comparison
    int timed = 0;               ///< candidates, the estimate included
    int infeasible = 0;          ///< candidates that were not timed because nothing could be gained
    bool is_complete = true;     ///< the budget sufficed for all candidates
    double speedup() const { return estimate_seconds / best.seconds; }
};

/// The search over any space, on any device. The incumbent is the estimate at first. Proposals are timed against it, then
/// its neighbours by each action in turn, with all else fixed: for products that is ATLAS's orthogonal line search (Whaley,
/// Petitet and Dongarra 2001). A candidate replaces the incumbent after winning twice. At last the incumbent has to win
/// against the estimate again, because the best of many is partly luck.
SearchResult search(const Problem& problem, const SearchSpace& space, Timer& timer,
                    const SearchSetting& setting);

/// The fastest; the first of two unless the later is faster by this factor.
std::size_t fastest_of(std::span<const ScheduleCandidate> candidates, double clearly_faster);

} // namespace swirl::search
