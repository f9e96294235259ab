#pragma once

#include "cli/costs.hpp"
#include "cli/gpu_products.hpp"
#include "cli/output.hpp"
#include "gemm/gpu/model/sample.hpp"
#include "gemm/gpu/schedule.hpp"

#include <string>

namespace swirl::cli {

/// Explanation of a GPU's kernel of small batched matrices.
struct BatchedExplanation {
    MatrixProduct product;
    target::Gpu gpu;
    gemm::BatchedGemm schedule;
    ir::KernelInfo kernel;
    gemm::GpuSample sample;
    PlanCosts costs;
};

/// For an inspection with such a schedule.
BatchedExplanation explain_batched(const MatrixProduct& product, GpuGemmInspection inspection);

std::string text_of(const BatchedExplanation& explanation);
Json json_of(const BatchedExplanation& explanation);

} // namespace swirl::cli
