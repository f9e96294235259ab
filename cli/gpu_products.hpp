#pragma once

#include <swirl/matrix_product.hpp>

#include "cli/generated_gpu.hpp"
#include "cli/planning.hpp"
#include "cli/product_data.hpp"
#include "cli/products.hpp"
#include "gemm/gpu/schedule.hpp"
#include "plan/gemm/gpu/kernel.hpp"
#include "plan/gemm/gpu/plan.hpp"

#include <memory>
#include <string>

/// GEMM with --device gpu or, for inspection, with a kind of GPU such as sm_90.
namespace swirl::cli {

/// The value of --gemm-accuracy.
swirl::Accuracy accuracy_of(const PlanningOptions& options);

void report_gemm_on_gpu(const MatrixProduct& product, const PlanningOptions& options, bool json);

/// A schedule and its kernel, for inspection: for a GPU of this host, compiled, so that register counts are known; or,
/// with "--device sm_90", for that kind of GPU, present or not.
struct GpuGemmInspection {
    target::Gpu gpu;
    gemm::GpuGemmSchedule schedule;
    search::Choice choice;                                      ///< the planner's explanation of the schedule
    planning::GpuMatrixDerivation derived = {};                 ///< the main GEMM kernel
    std::vector<planning::GpuMatrixDerivation> finishing = {};  ///< Stream-K fix-up kernels after it
    std::vector<planning::GpuMatrixDerivation> reductions = {}; ///< reduction kernels after it
    planning::PlanningWork work = {};                           ///< that planning takes
    /// Why this schedule's main loop cannot be reordered although that is allowed.
    std::string not_reordered_because = {};
};
/// Whether C has no elements.
bool is_empty(const MatrixProduct& product);
/// Real additions and multiplications.
double flops_of(const MatrixProduct& product);
/// By the schedule of a nonempty GEMM, as the planner explains it.
PlanCosts costs_of(const MatrixProduct& product, const GpuGemmInspection& plan);
/// Throws UserError if C is empty.
GpuGemmInspection inspect_gemm_on_gpu(const MatrixProduct& product, const PlanningOptions& options);

/// The plan for the GPU that --device names.
std::shared_ptr<const planning::GpuMatrixPlan> make_plan_on_gpu(const MatrixProduct& product,
                                                                const PlanningOptions& options);

/// Builds a plan and compares its result with the definition on the GPU; returns the schedule.
std::string compare_on_gpu(const MatrixProduct& product, const PlanningOptions& options);

/// Executes on copies of the operands and copies C back.
void execute_on_gpu(const MatrixProduct& product, const PlanningOptions& options, const ProductData& data);

void bench_gemm_on_gpu(const MatrixProduct& product, const PlanningOptions& options,
                       const ProductTiming& timing);

/// Its kernels, at stage ir or ptx.
KernelTexts gpu_kernels_at_stage(const MatrixProduct& product, const PlanningOptions& options,
                                 const std::string& stage, bool full);

/// Source text that does not depend on swirl; the device in the options names a kind of GPU.
StandaloneGpu gemm_as_gpu_source(const MatrixProduct& product, const PlanningOptions& options,
                                 emit::GpuLanguage language, const std::string& function);

} // namespace swirl::cli
