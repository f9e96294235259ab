#pragma once

#include "gemm/gpu/epilogue/epilogue.hpp"
#include "gemm/gpu/schedule.hpp"
#include "ir/program.hpp"

namespace swirl::gemm {

/// The persistent, warp-specialized wgmma kernel (see gpu_gemm_kernels). A producer thread loads k-tiles of A and B
/// by TMA into an smem pipeline; consumer warpgroups multiply them on tensor cores. Each block takes tiles of C until
/// none is left, so k-tiles of the next tile load while this one is stored. `epilogue`: for the canonical problem.
ir::Program wgmma_kernel(const MatrixProduct& canonical, bool is_swapped, const WgmmaGemm& schedule,
                         const target::Gpu& gpu, const GpuEpilogue& epilogue);

/// Registers per thread; 0: left to the compiler. Multiples of eight; a block's sum is the multiprocessor's register
/// file.
int consumer_registers(const WgmmaGemm& schedule);
int producer_registers(const WgmmaGemm& schedule);

/// The first reason why a wgmma schedule is infeasible for a canonical problem; empty if it is feasible.
std::string wgmma_infeasibility(const WgmmaGemm& schedule, const MatrixProduct& canonical,
                                const target::Gpu& gpu);

} // namespace swirl::gemm
