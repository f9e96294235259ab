#pragma once

#include "gemm/gpu/epilogue/epilogue.hpp"
#include "gemm/gpu/simt/layout.hpp"
#include "ir/program.hpp"

#include <string>

namespace swirl::gemm {

/// The SIMT or mma.sync kernel of a feasible schedule (see gpu_gemm_kernels). `is_fallback`: it computes only if
/// earlier kernels found values out of range (gemm/gpu/epilogue/range_check.hpp).
ir::Program simt_kernel(const CanonicalSimtGemm& gemm, const target::Gpu& gpu, const GpuEpilogue& epilogue,
                        bool is_fallback = false);

/// The first reason why a SIMT schedule is infeasible; empty if it is feasible.
std::string simt_infeasibility(const CanonicalSimtGemm& gemm, const target::Gpu& gpu);

/// Bytes of shared memory per block.
Integer simt_shared_bytes(const CanonicalSimtGemm& gemm);

} // namespace swirl::gemm
