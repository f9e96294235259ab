#pragma once

#include "base/fork_gate.hpp"
#include "plan/gemm/gpu/kernel.hpp"
#include "plan/schedule.hpp"
#include "plan/time_need.hpp"
#include "plan/transform/gpu/arguments.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace swirl::planning {

struct GpuMatrixPlanOptions {
    /// Multiply random matrices once and compare some elements, unless the cache says that the kernel was verified.
    bool check = true;
    bool use_cache = true;        ///< machine code on disk, see runtime::KernelCache
    bool reads_sass = false;      ///< score the SASS of the main kernel
    std::size_t memory_limit = 0; ///< as Options::memory_limit_bytes, but 0: no limit
    double planning_limit = 0;    ///< as Options::planning_limit_seconds
    std::function<void()> interrupt =
        {}; ///< unless empty, called now and then while planning; throws to end it
};

/// What planning a product takes that compiles so many kernels, one after the other.
PlanningWork planning_work(const MatrixProduct& product, std::size_t kernels, bool is_checked);

/// A matrix multiplication on a GPU: immutable, safe to use from any number of threads and streams at once. It owns its
/// kernels, so it must outlive the work it has enqueued and the graphs that captured it.
class GpuMatrixPlan {
public:
    /// The product must be valid. Throws UserError for a schedule that does not fit it or this GPU, OutOfMemory if
    /// the check's matrices do not fit.
    static std::shared_ptr<const GpuMatrixPlan> build(const MatrixProduct& product, const Schedule& schedule,
                                                      const runtime::GpuDevice& device,
                                                      const GpuMatrixPlanOptions& options = {});

    /// What building it took; less if the cache had its kernels.
    const PlanningWork& planning_work() const { return work_; }

    /// A checked execution that can be enqueued once.
    struct Execution {
        GpuMatrixArguments arguments = {};
        bool multiplies = true;
        bool reads_c = true;
        const GpuMatrixKernels* kernel = nullptr; ///< null: nothing to compute
        runtime::cuda::Address workspace = 0;
    };
    /// For an execution in this stream. Throws UserError for invalid arguments. What they point to must stay valid until the
    /// launch.
    Execution examined(const GpuMatrixArguments& arguments, runtime::cuda::Stream stream,
                       const GpuWorkspace& workspace = {}) const;
    void launch(const Execution& execution, runtime::cuda::Stream stream) const;

    /// Enqueues the product and returns without waiting, so a CUDA graph can capture it. The first execution with
    /// matrices less aligned than the schedule's vector accesses compiles other kernels, and checks them as a plan is
    /// checked: it waits, takes memory for that, and cannot be captured. Throws UserError for invalid arguments before
    /// anything is enqueued.
    void execute(const GpuMatrixArguments& arguments, runtime::cuda::Stream stream,
                 const GpuWorkspace& workspace = {}) const;
    std::size_t workspace_bytes() const { return kernel_ ? kernel_->workspace_bytes() : 0; }

    const MatrixProduct& product() const { return product_; }
    const Schedule& schedule() const { return schedule_; }
    const runtime::GpuDevice& device() const { return device_; }
    double flops() const;
    /// Null if there is nothing to compute.
    const GpuMatrixKernels* kernel() const { return kernel_ ? &*kernel_ : nullptr; }

private:
    GpuMatrixPlan(const MatrixProduct& product, const Schedule& schedule, const runtime::GpuDevice& device,
                  const GpuMatrixPlanOptions& options);
    /// A buffer that an execution touches, and how.
    struct BufferAccess {
        GpuArgument argument;
        bool is_written = false;
        bool is_in_vectors = true; ///< may be accessed by vector instructions
    };
    BufferAccess matrix(const char* name, const void* pointer, const MatrixLayout& layout, Integer rows,
                        Integer columns, DataType data_type) const;
    std::vector<BufferAccess> accesses(const GpuMatrixArguments& arguments, bool multiplies) const;
    void add_arrays(const GpuMatrixArguments& arguments, std::vector<BufferAccess>& to) const;
    void check(const std::vector<BufferAccess>& accesses) const;
    const GpuMatrixKernels& kernel_for(const std::vector<BufferAccess>& accesses,
                                       runtime::cuda::Stream stream) const;
    /// Checks kernels, unless the cache says that they were. `compare` throws InternalError if they are wrong.
    void compare_once(const GpuMatrixKernels& kernels, const std::function<void()>& compare) const;
    GpuMatrixKernels misaligned_kernels(runtime::cuda::Stream stream) const;

    MatrixProduct product_;
    Schedule schedule_;
    runtime::GpuDevice device_;
    runtime::KernelCache* cache_;
    std::vector<AuxiliaryArray> arrays_; ///< passed to executions
    std::size_t read_arrays_;            ///< the first ones of these, which are only read
    bool is_empty_;
    bool checks_;
    std::size_t memory_limit_;
    PlanningWork work_;
    std::optional<GpuMatrixKernels> kernel_;
    mutable ForkSafeMutex kernel_mutex_;
    mutable std::optional<GpuMatrixKernels> unaligned_kernel_; ///< accesses single elements
};

} // namespace swirl::planning
