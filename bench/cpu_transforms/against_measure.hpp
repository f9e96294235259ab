#pragma once

#include "bench/cpu_transforms/report.hpp"

#include <string>
#include <vector>

/// The estimate's plans against plans found by timing: the cost of the model's errors.
namespace swirl::bench {

struct AgainstMeasure {
    struct Loss {
        Transform problem;
        double ratio; ///< the estimate's time over the timed plan's, within rounds
        std::string estimated, measured;
    };
    std::vector<Loss> losses; ///< one per problem, largest first
    double geometric_mean = 1;
};

AgainstMeasure against_measure(const std::vector<Result>& results);

/// All ratios, and both schedules if the estimate takes over a tenth longer.
std::string to_text(const AgainstMeasure& comparison);
cli::Json to_json(const AgainstMeasure& comparison);

} // namespace swirl::bench
