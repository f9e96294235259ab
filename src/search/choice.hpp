#pragma once

#include "plan/schedule.hpp"

#include <optional>
#include <string>
#include <vector>

/// What was chosen without timing, and what was not.
namespace swirl::search {

/// A schedule or rule that was considered and rejected, and why.
struct Rejection {
    std::string what;
    std::string why;
    bool is_for_other_transform = false;             ///< a rule for another kind of transform
    std::optional<planning::Schedule> schedule = {}; ///< for a kind of kernel: the schedule it would have
    std::optional<double> seconds = {}; ///< the model's prediction for what it rates: a schedule, or its pass
};

struct Choice {
    planning::Schedule schedule;
    double estimated_seconds = 0; ///< the model's prediction for one execution
    std::vector<Rejection> rejections = {};
};

} // namespace swirl::search
