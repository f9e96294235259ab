#pragma once

#include "base/fork_gate.hpp"
#include "plan/gpu_arguments.hpp"
#include "plan/gpu_matrix_kernel.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace swirl::planning {

struct GpuMatrixPlanOptions {
    /// Multiply random matrices once and compare some elements, unless the kernel comes from the cache and was compared before.
    bool check = true;
    bool use_cache = true;   ///< of machine code on disk, see runtime::KernelCache
    bool reads_code = false; ///< its kernels have a score
};

/// A product of matrices on a GPU: immutable, usable from any number of threads and streams at once. Its kernels are freed with it,
/// so it has to outlive the work it has put into streams and graphs.
class GpuMatrixPlan {
public:
    /// Of a valid product. UserError for a schedule that does not suit it or this GPU, GpuOutOfMemory where there is no room for the
    /// check's matrices.
    static std::shared_ptr<const GpuMatrixPlan> build(const MatrixProduct& product,
                                                      const gemm::GpuSchedule& schedule,
                                                      const runtime::GpuDevice& device,
                                                      const GpuMatrixPlanOptions& options = {});

    /// An execution that can be put into a stream, once: its arguments fit.
    struct Execution {
        GpuMatrixArguments arguments = {};
        bool multiplies = true;
        bool reads_c = true;
        const GpuMatrixKernels* kernel = nullptr; ///< null: there is nothing to compute
        runtime::cuda::Address workspace = 0;
    };
    /// UserError for arguments that do not fit. What they point at has to stay until the execution is launched.
    Execution examined(const GpuMatrixArguments& arguments, const GpuWorkspace& workspace = {}) const;
    void launch(const Execution& execution, runtime::cuda::Stream stream) const;

    /// Puts the product into the stream and returns; waits for nothing, so it can be recorded into a graph. The first execution with
    /// matrices that are less aligned than the schedule's accesses are wide makes another kernel. UserError, before anything is put
    /// into the stream, for arguments that do not fit.
    void execute(const GpuMatrixArguments& arguments, runtime::cuda::Stream stream,
                 const GpuWorkspace& workspace = {}) const;
    std::size_t workspace_bytes() const { return kernel_ ? kernel_->workspace_bytes() : 0; }

    const MatrixProduct& product() const { return product_; }
    const gemm::GpuSchedule& schedule() const { return schedule_; }
    const runtime::GpuDevice& device() const { return device_; }
    double flops() const;
    /// Nothing where there is nothing to compute.
    const GpuMatrixKernels* kernel() const { return kernel_ ? &*kernel_ : nullptr; }

private:
    GpuMatrixPlan(const MatrixProduct& product, const gemm::GpuSchedule& schedule,
                  const runtime::GpuDevice& device, const GpuMatrixPlanOptions& options);
    /// What an execution touches, and how.
    struct Touched {
        GpuArgument argument;
        bool is_written = false;
        bool is_in_vectors = true; ///< accesses may be wider than a number
    };
    Touched matrix(const char* name, const void* pointer, const MatrixLayout& layout, Integer rows,
                   Integer columns, Number number) const;
    std::vector<Touched> touched(const GpuMatrixArguments& arguments, bool multiplies) const;
    void add_arrays(const GpuMatrixArguments& arguments, std::vector<Touched>& to) const;
    void check(const std::vector<Touched>& touched) const;
    const GpuMatrixKernels& kernel_for(const std::vector<Touched>& touched) const;
    void compare_once(const GpuMatrixPlanOptions& options) const;

    MatrixProduct product_;
    gemm::GpuSchedule schedule_;
    runtime::GpuDevice device_;
    runtime::KernelCache* cache_;
    std::vector<ProblemArray> arrays_; ///< that executions are given
    std::size_t read_arrays_;          ///< of these, the first ones
    bool is_empty_;
    std::optional<GpuMatrixKernels> kernel_;
    mutable ForkSafeMutex making_;
    mutable std::optional<GpuMatrixKernels> unaligned_; ///< accesses single elements
};

} // namespace swirl::planning
