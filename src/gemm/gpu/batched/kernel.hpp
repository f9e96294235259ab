#pragma once

#include "gemm/gpu/batched/layout.hpp"
#include "gemm/gpu/epilogue/epilogue.hpp"
#include "ir/program.hpp"

namespace swirl::gemm {

/// The kernel of a batch of small matrices (see gpu_gemm_kernels). A block copies the A and B of some matrices to shared
/// memory, 16 bytes at a time whatever the extents, multiplies them there, and stores their C in the same way. Blocks
/// have one range each: those of a multiprocessor hide each other's latencies.
ir::Program batched_kernel(const CanonicalBatchedGemm& gemm, const GpuEpilogue& epilogue);

} // namespace swirl::gemm
