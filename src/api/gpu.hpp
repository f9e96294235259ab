#pragma once

#include <swirl/gpu.hpp>
#include <swirl/gpu_matrix_product.hpp>

#include "plan/gpu_matrix_plan.hpp"
#include "plan/gpu_plan.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/cuda_memory.hpp"

#include <memory>
#include <span>

/// What the C++ and the C interface and the command line share of plans for GPUs.
namespace swirl::api {

/// A GPU, held from the first use to the end of the process: others need not make its context anew.
const runtime::GpuDevice& device_numbered(int number);

/// Plans as <swirl/gpu.hpp> says.
std::shared_ptr<const planning::GpuPlan> build(const Problem& problem, const gpu::PlanOptions& options);
/// And as <swirl/gpu_matrix_product.hpp> does.
std::shared_ptr<const planning::GpuMatrixPlan> build(const MatrixProduct& product,
                                                     const gpu::MatrixPlanOptions& options);

/// UserError where a product has lists and its matrices are given otherwise, or has none.
void require_lists(const MatrixProduct& product, bool are_given);

/// One of some groups of products, its numbers being the plan's.
struct GpuMatrixGroup {
    const planning::GpuMatrixPlan* plan = nullptr;
    planning::GpuMatrixArguments arguments = {};
};
/// As <swirl/gpu_matrix_product.hpp> says.
void execute_groups(std::span<const GpuMatrixGroup> groups, gpu::Stream stream);

/// The recipe that `build` takes for a device where nothing is to be measured, without compiling it.
planning::Recipe recipe_for(const Problem& problem, const runtime::GpuDevice& device, bool use_wisdom);

/// The library's word for a GPU without room, as users catch it.
template <class Action> auto with_public_errors(Action action) {
    try {
        return action();
    } catch (const runtime::GpuOutOfMemory& error) {
        throw gpu::OutOfMemory(std::string(error.what()));
    }
}

} // namespace swirl::api
