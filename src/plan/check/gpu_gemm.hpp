#pragma once

namespace swirl::planning {

class GpuMatrixKernels;
class GpuMatrixPlan;

/// Multiplies random matrices on the plan's GPU and compares some elements of the result, the corners included, with
/// sums in float64. Runs twice if the plan has a fallback kernel for elements out of range. Throws InternalError if one
/// is wrong.
void compare_with_definition(const GpuMatrixPlan& plan);
/// The same for the plan's kernels for misaligned pointers: arrays are aligned to their elements alone.
void compare_misaligned_with_definition(const GpuMatrixPlan& plan, const GpuMatrixKernels& kernels);

} // namespace swirl::planning
