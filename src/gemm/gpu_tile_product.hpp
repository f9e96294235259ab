#pragma once

#include "gemm/gpu_epilogue.hpp"
#include "gemm/gpu_schedule.hpp"
#include "ir/program.hpp"

namespace swirl::gemm {

/// The kernel of a product by tiles, for a schedule that has them (see gpu_product): one thread has the copy engine bring pieces of A
/// and B into a ring of stages in shared memory, warpgroups have tensor cores multiply them, and each block takes tiles of C until
/// none is left, so that pieces of the next tile come while this one is stored. `epilogue`: of elements of the oriented product.
ir::Program gpu_tile_product(const MatrixProduct& oriented, bool is_turned, const GpuSchedule& schedule,
                             const target::Gpu& gpu, const GpuEpilogue& epilogue);

/// Of a thread in such a kernel; 0: as it comes. They come in eights, and a block's together are those of a multiprocessor.
int registers_to_multiply(const GpuSchedule& schedule);
int registers_to_fetch(const GpuSchedule& schedule);

/// The first reason why a schedule with tiles does not suit a product as it is oriented; empty where it does.
std::string objection_to_tiles(const GpuSchedule& schedule, const MatrixProduct& oriented,
                               const target::Gpu& gpu);

} // namespace swirl::gemm
