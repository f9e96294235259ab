#pragma once

#include "ir/kernel_info.hpp"
#include "ir/program.hpp"
#include "plan/schedule.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "plan/transform/gpu/arguments.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda/stream.hpp"
#include "target/gpu.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace swirl::planning {

struct GpuPlanOptions {
    /// Verify each plan once against a second algorithm before returning it, unless the cache says that it was.
    bool check = true;
    bool use_cache = true;        ///< machine code and plans on disk, see runtime::KernelCache
    std::size_t memory_limit = 0; ///< as Options::memory_limit_bytes, but 0: no limit
    double planning_limit = 0;    ///< as Options::planning_limit_seconds
    std::function<void()> interrupt =
        {}; ///< unless empty, called now and then while planning; throws to end it
};

/// One pass on a GPU, for people and reports.
struct GpuPassDescription {
    PassSchedule schedule;
    formula::Formula formula;          ///< expanded, with codelets as leaves
    std::vector<ir::Program> lowered;  ///< one per kernel, as derived
    std::vector<ir::Program> programs; ///< as compiled
    std::vector<std::string> ptx;
    std::vector<ir::KernelInfo> kernels; ///< all that is known of their launches
    std::size_t workspace_bytes = 0;     ///< that they and the data between passes take
};

/// Describes a schedule's passes without a GPU; values that only a driver knows are 0. Throws as GpuPlan::build does.
std::vector<GpuPassDescription> describe_passes(const Transform& problem, const Schedule& schedule);
/// Bytes of the passes' tables on the GPU, where identical tables are stored once.
Integer table_bytes(std::span<const GpuPassDescription> passes);

/// What planning these passes takes without a cache.
PlanningWork planning_work(const Transform& problem, const Schedule& schedule,
                           const std::vector<GpuPassDescription>& passes, bool is_checked);

/// A transform on a GPU: immutable, safe to use from any number of threads and streams at once. It owns its kernels, so
/// it must outlive the work it has enqueued and the graphs that captured it.
class GpuPlan {
public:
    /// Derives, compiles and verifies. Throws UserError for an invalid problem, a schedule that does not fit it or this
    /// GPU, or a driver that is too old; throws OutOfMemory.
    static std::shared_ptr<const GpuPlan> build(const Transform& problem, const Schedule& schedule,
                                                const runtime::GpuDevice& device,
                                                const GpuPlanOptions& options = {});
    ~GpuPlan();

    const Transform& problem() const;
    const Schedule& schedule() const;
    const PlanningWork& planning_work() const; ///< what building it took; less if the cache had its kernels
    const runtime::GpuDevice& device() const;
    const target::Gpu& gpu() const; ///< target of the code
    std::size_t workspace_bytes() const;
    Integer table_bytes() const; ///< constants read by the kernels; they live as long as the plan

    /// Enqueues the transform and returns without waiting, so a CUDA graph can capture it. Without a workspace, memory
    /// is allocated and freed in stream order. Pointers are device memory, at the element with index 0. Throws
    /// UserError for invalid arguments before anything is enqueued.
    void execute(const Arguments& arguments, runtime::cuda::Stream stream,
                 const GpuWorkspace& workspace = {}) const;

    /// The same of arrays and a workspace that the caller vouches for: the driver is not asked where they are, so that they may
    /// be any memory that the GPU reaches. A plan that needs a workspace must be given one.
    void execute_anywhere(const Arguments& arguments, runtime::cuda::Stream stream, void* workspace) const;

    /// One kernel of kernels() alone, to time it: the result is meaningful only after the kernels before it.
    void execute_kernel(std::size_t kernel, const Arguments& arguments, runtime::cuda::Stream stream,
                        const GpuWorkspace& workspace) const;

    /// Whether and how it was verified: "yes", "yes, 512 of 100000 transforms", "no, because …".
    const std::string& checked() const;

    double flops() const;                             ///< real additions and multiplications executed
    double bytes() const;                             ///< device memory read and written by the kernels
    std::vector<ir::KernelInfo> kernels() const;      ///< in launch order
    std::vector<GpuPassDescription> describe() const; ///< rebuilt on demand

private:
    struct State;
    /// Verifies the plan, or states why it need not be.
    void check(const GpuPlanOptions& options) const;
    explicit GpuPlan(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace swirl::planning
