#pragma once

#include "plan/check/scope.hpp"
#include "plan/transform/gpu/plan.hpp"

namespace swirl::planning {

/// Runs the check of a plan before its first use, as the scope says. Returns the scope, or none if no plan for a shorter
/// batch has this schedule. Throws InternalError if the plan is wrong.
CheckScope check_plan(const GpuPlan& plan, CheckScope scope, const GpuPlanOptions& options);

} // namespace swirl::planning
