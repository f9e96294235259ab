#pragma once

namespace swirl::planning {

class GpuMatrixPlan;

/// Multiplies matrices of random numbers on the plan's GPU and compares some elements of the result with sums in float64,
/// those at the corners among them; twice where the plan has another way for numbers out of range. InternalError where one is wrong.
void compare_with_definition(const GpuMatrixPlan& plan);

} // namespace swirl::planning
