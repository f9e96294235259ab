#pragma once

#include <swirl/matrix_product.hpp>

#include "cli/generated_gpu.hpp"
#include "cli/planning.hpp"
#include "cli/product_data.hpp"
#include "cli/products.hpp"
#include "gemm/gpu_schedule.hpp"
#include "plan/gpu_matrix_kernel.hpp"

#include <string>

/// Products of matrices with --device gpu, or, to look at them, with a kind of GPU such as sm_90.
namespace swirl::cli {

/// Of --product-accuracy.
swirl::Accuracy accuracy_of(const PlanningOptions& options);

void report_product_on_gpu(const MatrixProduct& product, const PlanningOptions& options, bool json);

/// A schedule and its kernel, to look at: for a GPU of this machine, compiled, so that registers are known; or, with
/// "--device sm_90", for such a one, at hand or not.
struct GpuProductInspection {
    target::Gpu gpu;
    gemm::GpuSchedule schedule;
    planning::GpuMatrixDerivation derived = {};                 ///< that multiplies
    std::vector<planning::GpuMatrixDerivation> finishing = {};  ///< of a stream, behind it
    std::vector<planning::GpuMatrixDerivation> reductions = {}; ///< behind it
    std::string loop_stays_because =
        {}; ///< why, although main loops may be in another order, there is none of this schedule
};
/// Whether no element of C is to be computed.
bool is_empty(const MatrixProduct& product);
/// Additions and multiplications of real numbers.
double flops_of(const MatrixProduct& product);
/// UserError where nothing is to be computed.
GpuProductInspection inspect_product_on_gpu(const MatrixProduct& product, const PlanningOptions& options);

/// Makes a plan, which is compared with the definition on the GPU; the schedule is told.
std::string compare_on_gpu(const MatrixProduct& product, const PlanningOptions& options);

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
