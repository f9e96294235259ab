#pragma once

#include "plan/schedule.hpp"

#include <string>
#include <vector>

/// What was chosen without timing, and what was not.
namespace swirl::search {

/// A schedule or rule that was considered and rejected, and why.
struct Rejection {
    std::string what;
    std::string why;
    bool is_for_other_transform = false; ///< a rule for another kind of transform
};

struct Choice {
    planning::Schedule schedule;
    double estimated_seconds = 0; ///< the model's prediction for one execution
    std::vector<Rejection> rejections = {};
};

} // namespace swirl::search
