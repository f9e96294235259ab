#pragma once

#include <swirl/matrix_product.hpp>

#include "cli/planning.hpp"

#include <string>

/// Products of matrices with --device gpu, or, to look at them, with a kind of GPU such as sm_90.
namespace swirl::cli {

void report_product_on_gpu(const MatrixProduct& product, const PlanningOptions& options, bool json);

/// Its kernels, at stage ir or ptx.
void show_product_on_gpu(const MatrixProduct& product, const PlanningOptions& options,
                         const std::string& stage, bool full);

} // namespace swirl::cli
