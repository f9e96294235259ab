#pragma once

#include <swirl/gpu.hpp>
#include <swirl/gpu_matrix_product.hpp>

#include "plan/gpu_matrix_plan.hpp"
#include "plan/gpu_plan.hpp"
#include "runtime/cuda/device.hpp"
#include "runtime/cuda/memory.hpp"

#include <memory>
#include <span>

/// GPU planning shared by the C++ interface, the C interface and the command line.
namespace swirl::api {

/// The GPU with this CUDA ordinal. It is kept until the process ends, so that its context is created only once.
const runtime::GpuDevice& device_numbered(int number);

/// Plans as <swirl/gpu.hpp> documents.
std::shared_ptr<const planning::GpuPlan> build(const Transform& problem, const gpu::PlanOptions& options);
/// Plans as <swirl/gpu_matrix_product.hpp> documents.
std::shared_ptr<const planning::GpuMatrixPlan> build(const MatrixProduct& product,
                                                     const gpu::MatrixPlanOptions& options);

/// Throws UserError unless matrices are given as pointer arrays exactly if the product requires them.
void require_lists(const MatrixProduct& product, bool are_given);

/// A pointer-array batch of one plan, in the plan's data types.
struct GpuMatrixGroup {
    const planning::GpuMatrixPlan* plan = nullptr;
    planning::GpuMatrixArguments arguments = {};
};
/// Executes as <swirl/gpu_matrix_product.hpp> documents.
void execute_groups(std::span<const GpuMatrixGroup> groups, gpu::Stream stream);

/// The recipe that `build` chooses for a device without measuring, without compiling it.
planning::Recipe recipe_for(const Transform& problem, const runtime::GpuDevice& device, bool use_wisdom);

/// Converts GpuOutOfMemory to the public exception.
template <class Action> auto with_public_errors(Action action) {
    try {
        return action();
    } catch (const runtime::GpuOutOfMemory& error) {
        throw gpu::OutOfMemory(std::string(error.what()));
    }
}

} // namespace swirl::api
