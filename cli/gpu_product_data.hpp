#pragma once

#include "cli/product_data.hpp"
#include "plan/gpu_matrix_lists.hpp"
#include "plan/gpu_matrix_plan.hpp"
#include "runtime/cuda_memory.hpp"

#include <deque>
#include <optional>

namespace swirl::cli {

/// A product's operands on a GPU, as they are on the host.
class GpuProductData {
public:
    GpuProductData(const runtime::GpuDevice& device, const ProductData& data);

    void execute(const planning::GpuMatrixPlan& plan, runtime::cuda::Stream stream = nullptr) const;
    /// C and results of reductions, to the host, when all that runs on the GPU is done.
    void copy_back() const;

    std::size_t bytes() const;

private:
    planning::GpuMatrixArguments matrices() const; ///< without arrays

    const ProductData& data_;
    runtime::GpuBuffer a_, b_, c_;
    std::deque<runtime::GpuBuffer> arrays_;
    std::optional<planning::GpuMatrixLists> lists_;
};

} // namespace swirl::cli
