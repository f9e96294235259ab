#pragma once

#include "plan/check/scope.hpp"
#include "plan/transform/cpu/plan.hpp"

namespace swirl::planning {

/// Runs the check of a plan before its first use, as the scope says. Returns the scope, or none if no plan for a shorter
/// batch has this schedule. Throws InternalError if the plan is wrong.
CheckScope check_plan(const Plan& plan, CheckScope scope, const PlanOptions& options);

} // namespace swirl::planning
