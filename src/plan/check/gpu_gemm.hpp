#pragma once

namespace swirl::planning {

class GpuMatrixPlan;

/// Multiplies random matrices on the plan's GPU and compares some elements of the result, the corners included, with
/// sums in float64. Runs twice if the plan has a fallback kernel for elements out of range. Throws InternalError if one
/// is wrong.
void compare_with_definition(const GpuMatrixPlan& plan);

} // namespace swirl::planning
