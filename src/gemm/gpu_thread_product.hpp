#pragma once

#include "gemm/gpu_epilogue.hpp"
#include "gemm/gpu_schedule.hpp"
#include "ir/program.hpp"

namespace swirl::gemm {

/// The kernel of a product by threads, for a schedule without tiles that suits it (see gpu_product). `takes_over`: it computes something
/// only where kernels before it have found numbers that are out of range for others (gemm/gpu_range.hpp).
ir::Program gpu_thread_product(const MatrixProduct& product, const GpuSchedule& schedule,
                               const target::Gpu& gpu, const GpuEpilogue& epilogue, bool takes_over = false);

} // namespace swirl::gemm
