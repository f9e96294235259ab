#pragma once

#include "gemm/gpu/epilogue/epilogue.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"
#include "gemm/gpu/simt/layout.hpp"
#include "ir/program.hpp"

#include <vector>

namespace swirl::gemm {

/// The SIMT kernels of a Stream-K schedule. Blocks process their k-tiles and finish the tiles that they process
/// entirely. Of other tiles they store partials, which the second kernel reduces in ascending k. If A and B are not
/// read, the second kernel alone writes all of C. See gpu_gemm_kernels.
std::vector<ir::Program> stream_k_kernels(const CanonicalSimtGemm& gemm, const target::Gpu& gpu,
                                          const GpuEpilogue& epilogue);

} // namespace swirl::gemm
