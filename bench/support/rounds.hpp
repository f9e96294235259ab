#pragma once

#include "runtime/timer.hpp"

#include <ctime>
#include <span>
#include <vector>

namespace swirl::bench {

/// Time of a clock such as CLOCK_PROCESS_CPUTIME_ID.
double clock_seconds(clockid_t clock);

struct RoundOptions {
    int rounds = 30;
    double seconds = 5;  ///< for all rounds of a problem, approximate; runs at least `min_rounds`
    double batch = 2e-3; ///< seconds per implementation and round, at least one execution
    int min_rounds = 5;
    /// Implementations start no threads. Otherwise each batch begins when the threads of the previous implementation have
    /// stopped spinning, with an untimed execution that wakes its own.
    bool on_one_thread = true;
};

/// Seconds per execution, by implementation and round.
using Samples = std::vector<std::vector<double>>;

/// In each round every implementation runs one batch, a different one first each time, so that other load affects all
/// of them alike.
Samples run_rounds(std::span<const runtime::TimedWork> implementations, const RoundOptions& options);

} // namespace swirl::bench
