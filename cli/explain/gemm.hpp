#pragma once

#include <swirl/matrix_product.hpp>

#include "cli/compiled_kernel.hpp"
#include "cli/costs.hpp"
#include "cli/gpu_products.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "gemm/gpu/model/sample.hpp"
#include "gemm/gpu/scheduler/balance.hpp"
#include "ir/instruction_mix.hpp"
#include "ir/kernel_info.hpp"

#include <string>

namespace swirl::cli {

/// Explanation of a GPU's GEMM kernel.
struct GemmExplanation {
    MatrixProduct product;
    target::Gpu gpu;
    gemm::SimtGemm schedule;
    ir::KernelInfo kernel;
    ir::InstructionMix mix; ///< of the main loop; of the whole kernel if all k-tiles are in flight at once
    gemm::GpuBalance balance;
    gemm::GpuSample sample;
    CompiledKernel compiled;
    PlanCosts costs;

    /// Per k-tile and scheduler, counted from a thread's instructions: multiply_add_slots() are the cycles in which its
    /// multiply-add units are busy, slots() all its busy cycles. A multiply-add takes two cycles for float64 and one
    /// for mma.sync, which other instructions overlap.
    double multiply_add_slots() const;
    double slots() const;
    double bound() const { return multiply_add_slots() / slots(); }
};

/// For an inspection whose schedule does not use wgmma, of a non-empty GEMM.
GemmExplanation explain_gemm(const MatrixProduct& product, const PlanningOptions& options,
                             GpuGemmInspection inspection);

std::string text_of(const GemmExplanation& explanation);
Json json_of(const GemmExplanation& explanation);

} // namespace swirl::cli
