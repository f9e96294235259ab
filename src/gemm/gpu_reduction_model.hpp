#pragma once

#include "gemm/gpu_model.hpp"
#include "gemm/gpu_reduction.hpp"
#include "gemm/gpu_schedule.hpp"

/// What reductions of C cost on GPUs, beside their product.
namespace swirl::gemm {

/// How many parts of each result a schedule's blocks leave, of an oriented product.
GpuResultParts gpu_result_parts(const GpuSchedule& schedule, const MatrixProduct& oriented, Over over);

/// Seconds, of all of a product's: in the blocks that a multiprocessor has one after the other, and of the kernels behind the product, one for each
/// reduction that has parts.
double gpu_reduction_seconds(const MatrixProduct& product, const GpuSchedule& schedule,
                             const GpuRates& rates);

} // namespace swirl::gemm
