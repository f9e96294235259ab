#pragma once

#include "runtime/timer.hpp"

#include <span>
#include <vector>

namespace swirl::bench {

struct RoundOptions {
    int rounds = 30;
    double seconds = 5;  ///< for all rounds of a problem, roughly; at least `least_rounds` are run
    double batch = 2e-3; ///< seconds that a contender runs in each round, at least one execution
    int least_rounds = 5;
    bool on_one_thread = true; ///< contenders start no threads
    /// Seconds before each batch, and then an execution that is not timed: threads that the contender before keeps
    /// spinning have gone to sleep, and its own are awake. 0: neither.
    double pause = 0;
};

/// Seconds an execution, by contender and round.
using Times = std::vector<std::vector<double>>;

/// In each round every contender runs one batch, another one first each time, so that what else the machine does meets
/// all of them alike.
Times run_rounds(std::span<const runtime::TimedWork> contenders, const RoundOptions& options);

/// How many times as long as `first` a contender takes: the median over rounds of the ratio within a round.
double ratio_within_rounds(std::span<const double> contender, std::span<const double> first);

} // namespace swirl::bench
