#pragma once

#include "cli/output.hpp"
#include "cli/tune/tuning.hpp"

#include <span>
#include <string>
#include <vector>

/// What a tuning of many problems has found.
namespace swirl::cli {

/// How far choices are from the best schedules found: of each problem the time of the choice over that of the best.
struct Regret {
    std::size_t problems = 0;
    double mean = 1; ///< geometric
    double percentile_95 = 1;
    double worst = 1;
    std::string worst_problem = {};
};

struct TuneSummary {
    std::size_t tuned = 0, known = 0, nothing_to_tune = 0, too_short = 0, interrupted = 0, failed = 0;
    Regret estimate;
    Regret first_plan; ///< of those where it may differ from the estimate
};

TuneSummary summary_of(std::span<const TunedProblem> problems);

/// One line a problem.
std::string line_of(const TunedProblem& problem);
std::string text_of(const TuneSummary& summary);
Json json_of(std::span<const TunedProblem> problems, const TuneSummary& summary);

} // namespace swirl::cli
