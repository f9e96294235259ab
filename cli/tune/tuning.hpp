#pragma once

#include <swirl/options.hpp>
#include <swirl/problem.hpp>

#include "search/planner.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

/// Tunes one problem: searches for its fastest schedule, which wisdom stores, and compares the estimate with it.
namespace swirl::cli {

struct TimedSchedule {
    std::string schedule = {};                                ///< its text
    double seconds = std::numeric_limits<double>::infinity(); ///< infinite: not timed
};

struct TunedProblem {
    enum class State : std::uint8_t {
        tuned,
        known,           ///< wisdom had it
        nothing_to_tune, ///< no search exists for such a problem: the model decides alone
        too_short,       ///< the time did not suffice to compare anything
        interrupted,     ///< the user ended it; what was found until then is kept
        failed,
    };
    std::string problem, device;
    State state = State::tuned;
    std::string error = {};      ///< of a failure
    TimedSchedule estimate = {}; ///< the model's choice; timed with `found`, interleaved
    /// What the first plan of a process without wisdom of its own takes, where that may be another: by shipped wisdom,
    /// and on GPUs by timing a shortlist.
    std::optional<TimedSchedule> first_plan = {};
    TimedSchedule found = {};
    double search_seconds = 0;

    bool is_compared() const;
    double best_seconds() const;
    /// Time of a schedule over the best of all, at least 1.
    double regret(const TimedSchedule& schedule) const { return schedule.seconds / best_seconds(); }
};

struct TuneSetting {
    Options options;                      ///< with the effort and the budget of the search
    bool again = false;                   ///< search though wisdom has the problem
    bool recheck = false;                 ///< compare what wisdom has with the estimate
    bool compare = true;                  ///< with the estimate
    std::function<bool()> is_interrupted; ///< asked often; true: end with what was found
};

/// Throws Unavailable if there is no such device. What concerns the problem alone is TunedProblem::State::failed.
TunedProblem tune(const Problem& problem, const TuneSetting& setting);

} // namespace swirl::cli
