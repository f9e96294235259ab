#pragma once

#include <swirl/matrix_product.hpp>

#include "cli/generated_gpu.hpp"
#include "cli/planning.hpp"
#include "cli/product_data.hpp"
#include "cli/products.hpp"

#include <string>

/// Products of matrices with --device gpu, or, to look at them, with a kind of GPU such as sm_90.
namespace swirl::cli {

void report_product_on_gpu(const MatrixProduct& product, const PlanningOptions& options, bool json);

/// On copies of the operands, of which C's comes back.
void execute_on_gpu(const MatrixProduct& product, const PlanningOptions& options, const ProductData& data);

void bench_product_on_gpu(const MatrixProduct& product, const PlanningOptions& options,
                          const ProductTiming& timing);

/// Its kernels, at stage ir or ptx.
void show_product_on_gpu(const MatrixProduct& product, const PlanningOptions& options,
                         const std::string& stage, bool full);

/// As text that needs no swirl: with the options' device for a kind of GPU.
StandaloneGpu product_as_gpu_source(const MatrixProduct& product, const PlanningOptions& options,
                                    emit::GpuLanguage language, const std::string& function);

} // namespace swirl::cli
