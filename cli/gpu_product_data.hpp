#pragma once

#include "cli/product_data.hpp"
#include "plan/gemm/gpu/lists.hpp"
#include "plan/gemm/gpu/plan.hpp"
#include "runtime/cuda/memory.hpp"

#include <deque>
#include <optional>

namespace swirl::cli {

/// A GEMM's operands on a GPU, copied from the host.
class GpuGemmData {
public:
    GpuGemmData(const runtime::GpuDevice& device, const ProductData& data);

    void execute(const planning::GpuMatrixPlan& plan, runtime::cuda::Stream stream = nullptr) const;
    /// Waits for the GPU, then copies C and results of reductions to the host.
    void copy_back() const;

    std::size_t bytes() const;

private:
    planning::GpuMatrixArguments matrices() const; ///< without auxiliary arrays

    const ProductData& data_;
    runtime::GpuBuffer a_, b_, c_;
    std::deque<runtime::GpuBuffer> arrays_;
    std::optional<planning::GpuMatrixLists> lists_;
};

} // namespace swirl::cli
