#pragma once

#include "cli/explain/batched.hpp"
#include "cli/explain/gemm.hpp"
#include "cli/explain/wgmma.hpp"
#include "cli/planning.hpp"
#include "problem/problem.hpp"

#include <string>
#include <variant>

namespace swirl::cli {

/// How a problem is computed, as text. `full`: with the ir and the code too; not of GEMM on GPUs.
std::string derivation_of(const Transform& problem, const PlanningOptions& options, bool full = false);
std::string derivation_of(const MatrixProduct& product, const PlanningOptions& options, bool full = false);

/// The explanation of a GEMM on a GPU, of the kind of its schedule.
using GpuGemmExplanation = std::variant<BatchedExplanation, WgmmaExplanation, GemmExplanation>;
/// Compiled at most, not run. Throws Unsupported if nothing is multiplied.
GpuGemmExplanation explain_gemm_on_gpu(const MatrixProduct& product, const PlanningOptions& options);

} // namespace swirl::cli
