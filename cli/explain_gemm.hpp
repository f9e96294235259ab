#pragma once

#include <swirl/matrix_product.hpp>

#include "cli/compiled_kernel.hpp"
#include "cli/gpu_products.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "gemm/gpu_balance.hpp"
#include "gemm/gpu_sample.hpp"
#include "ir/kernel_info.hpp"
#include "ir/loop_mix.hpp"

#include <string>

namespace swirl::cli {

/// What is to be said of a GPU's kernel of a product.
struct GemmExplanation {
    MatrixProduct product;
    target::Gpu gpu;
    gemm::GpuSchedule schedule;
    ir::KernelInfo kernel;
    ir::LoopMix mix; ///< of the loop over pieces; where all of them are under way at once, of the kernel
    gemm::GpuBalance balance;
    gemm::GpuSample sample;
    CompiledKernel compiled;
    double seconds = 0; ///< by the model

    /// Cycles, for one piece, of a scheduler's units for multiply-adds over those it is busy, by a thread's instructions. Two of the
    /// former for float64, one where warps multiply, which other instructions go beside.
    double multiply_add_slots() const;
    double slots() const;
    double bound() const { return multiply_add_slots() / slots(); }
};

/// Of an inspection whose schedule has no tiles, of a product that multiplies.
GemmExplanation explain_gemm(const MatrixProduct& product, const PlanningOptions& options,
                             GpuProductInspection inspection);

std::string text_of(const GemmExplanation& explanation);
Json json_of(const GemmExplanation& explanation);

} // namespace swirl::cli
