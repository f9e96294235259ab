#pragma once

#include "gemm/gpu/epilogue/reduction.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule.hpp"

/// Cost of reductions over C on GPUs, in addition to the GEMM.
namespace swirl::gemm {

/// Partials per result that a schedule's blocks store, for a canonical problem.
ReductionPartials reduction_partials_of(const GpuGemmSchedule& schedule, const MatrixProduct& canonical,
                                        Over over);

/// Seconds for all of a problem's reductions: in consecutive blocks of a multiprocessor, plus the kernel for each
/// reduction with partials.
double gpu_reduction_seconds(const MatrixProduct& product, const GpuGemmSchedule& schedule,
                             const GpuRates& rates);

} // namespace swirl::gemm
