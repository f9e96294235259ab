#pragma once

#include "cli/costs.hpp"
#include "cli/gpu_products.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "gemm/gpu/model/sample.hpp"
#include "gemm/gpu/scheduler/wgmma_balance.hpp"

#include <string>

namespace swirl::cli {

/// Explanation of a GPU's wgmma kernel.
struct WgmmaExplanation {
    MatrixProduct product;
    target::Gpu gpu;
    gemm::WgmmaGemm schedule;
    ir::KernelInfo kernel;
    gemm::WgmmaBalance balance;
    gemm::GpuSample sample;
    PlanCosts costs;
    std::string not_reordered_because; ///< why its main loop was not reordered although requested
};

/// For an inspection whose schedule uses wgmma, of a non-empty GEMM.
WgmmaExplanation explain_wgmma(const MatrixProduct& product, GpuGemmInspection inspection);

std::string text_of(const WgmmaExplanation& explanation);
Json json_of(const WgmmaExplanation& explanation);

/// An SVG picture of a CTA tile of C: the regions of its warps, the owner threads of a group of eight rows in a warp,
/// and the swizzle of 16-byte chunks in shared memory.
std::string tile_map_of(const WgmmaExplanation& explanation);

} // namespace swirl::cli
