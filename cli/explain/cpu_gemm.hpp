#pragma once

#include "cli/output.hpp"
#include "cli/planning.hpp"

#include <swirl/matrix_product.hpp>

#include <string>

/// The derivation of a CPU's GEMM: blocks by cache level, loops around the micro-kernel, the micro-kernel's ir and code,
/// floors and estimate.
namespace swirl::cli {

/// `full`: with the ir and the machine code of each kernel.
std::string gemm_derivation_on_cpu(const MatrixProduct& product, const PlanningOptions& options, bool full);
Json gemm_derivation_on_cpu_as_json(const MatrixProduct& product, const PlanningOptions& options);

} // namespace swirl::cli
