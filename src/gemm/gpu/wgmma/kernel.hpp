#pragma once

#include "gemm/gpu/epilogue/epilogue.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "ir/program.hpp"

namespace swirl::gemm {

/// The persistent, warp-specialized wgmma kernel (see gpu_gemm_kernels). A producer thread loads k-tiles of A and B
/// by TMA into an smem pipeline; consumer warpgroups multiply them on tensor cores. Each block takes tiles of C until
/// none is left, so k-tiles of the next tile load while this one is stored.
ir::Program wgmma_kernel(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu, const GpuEpilogue& epilogue);

/// Of the warp or warpgroup whose first thread issues loads.
Integer producer_threads(const WgmmaGemm& schedule);

/// Registers per thread; 0: left to the compiler. Multiples of eight; a block's sum is the multiprocessor's register
/// file.
int consumer_registers(const WgmmaGemm& schedule);
int producer_registers(const WgmmaGemm& schedule);

/// The first reason why a wgmma schedule is infeasible; empty if it is feasible.
std::string wgmma_infeasibility(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu);

} // namespace swirl::gemm
