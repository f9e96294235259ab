#pragma once

#include "cli/output.hpp"
#include "plan/time_need.hpp"

#include <string>

namespace swirl::cli {

/// One line: the predicted time of planning, without that of a search.
std::string time_line(const planning::TimeNeed& time);
/// Adds the member "predicted_planning_seconds".
void add_time(Json& report, const planning::TimeNeed& time);

} // namespace swirl::cli
