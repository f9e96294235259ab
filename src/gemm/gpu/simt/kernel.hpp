#pragma once

#include "gemm/gpu/epilogue/epilogue.hpp"
#include "gemm/gpu/schedule.hpp"
#include "ir/program.hpp"

namespace swirl::gemm {

/// The SIMT or mma.sync kernel of a feasible schedule (see gpu_gemm_kernels). `is_fallback`: it computes only if
/// earlier kernels found values out of range (gemm/gpu/epilogue/range_check.hpp).
ir::Program simt_kernel(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu,
                        const GpuEpilogue& epilogue, bool is_fallback = false);

} // namespace swirl::gemm
