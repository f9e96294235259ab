#pragma once

#include <swirl/problem.hpp>
#include "plan/schedule.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

namespace swirl::search {

/// A schedule to benchmark.
struct ScheduleCandidate {
    planning::Schedule schedule;
    double seconds = std::numeric_limits<double>::infinity(); ///< per execution; infinite: not timed
    std::string infeasible_because =
        {}; ///< why it cannot be built, or cannot be faster; empty: nothing known
    std::shared_ptr<const void> built =
        {}; ///< the plan that the timer built, unchecked; null: none yet, or dropped
    bool is_timed() const { return seconds < std::numeric_limits<double>::infinity(); }
};

/// How carefully candidates are compared: while a first plan is waited for, as subproblems of others, at first in a
/// search, to confirm a winner, and at last.
enum class Care : std::uint8_t { shortlist, subproblem, screen, confirm, last };

/// The clock and the benchmark of a search, one for each kind of device. Tests substitute a fake.
class Timer {
public:
    virtual ~Timer() = default;

    /// Seconds on the timer's own clock.
    virtual double now() = 0;

    /// Whom a comparison informs, on the thread that called it. Both functions may throw to end the search.
    struct Observer {
        /// Called with the index of each candidate that has been timed or found infeasible.
        std::function<void(std::size_t)> seen;
        /// Called before each compilation and each sample; may be empty.
        std::function<void()> interrupt = {};

        void ask() const {
            if (interrupt) interrupt();
        }
    };

    /// Times the candidates interleaved, the incumbent first. The first is always timed; the others until `deadline` on
    /// this clock. A candidate that is not timed has infinite seconds.
    virtual void compare(const Problem& problem, std::span<ScheduleCandidate> candidates, double deadline,
                         Care care, const Observer& observer) = 0;
};

} // namespace swirl::search
