#pragma once

#include "ir/kernel_info.hpp"
#include "ir/program.hpp"
#include "plan/gpu_arguments.hpp"
#include "plan/plan.hpp"
#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda_stream.hpp"
#include "target/gpu.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace swirl::planning {

struct GpuPlanOptions {
    /// Run each plan once against a second route before it is handed out, unless it comes from the cache and was before.
    bool check = true;
    bool use_cache = true; ///< of machine code and plans on disk, see runtime::KernelCache
};

/// What one step is on a GPU, for people and reports.
struct GpuStepDescription {
    StepRecipe recipe;
    formula::Formula formula;          ///< expanded, codelets left whole
    std::vector<ir::Program> lowered;  ///< one a kernel, as derived
    std::vector<ir::Program> programs; ///< as compiled
    std::vector<std::string> ptx;
    std::vector<ir::KernelInfo> kernels; ///< all that is known of their launches
};

/// The steps of a recipe without a GPU at hand; what only a driver knows is left at 0. Throws like GpuPlan::build.
std::vector<GpuStepDescription> describe_steps(const Problem& problem, const Recipe& recipe);

/// A transform on a GPU: immutable, usable from any number of threads and streams at once. What it is made of is freed with
/// it, so it has to outlive the work it has put into streams and graphs.
class GpuPlan {
public:
    /// Derives, compiles and checks. UserError for an invalid problem, a recipe that does not fit it or this GPU, a driver
    /// that is too old; GpuOutOfMemory.
    static std::shared_ptr<const GpuPlan> build(const Problem& problem, const Recipe& recipe,
                                                const runtime::GpuDevice& device,
                                                const GpuPlanOptions& options = {});
    ~GpuPlan();

    const Problem& problem() const;
    const Recipe& recipe() const;
    const runtime::GpuDevice& device() const;
    const target::Gpu& gpu() const; ///< that its code is for
    std::size_t workspace_bytes() const;

    /// Puts the transform into the stream and returns; waits for nothing, so it can be recorded into a graph. Without a
    /// workspace, memory is taken and given back in the stream's order. Pointers are to memory of the GPU, at the element
    /// of index 0. UserError, before anything is put into the stream, for arguments that do not fit.
    void execute(const Arguments& arguments, runtime::cuda::Stream stream,
                 const GpuWorkspace& workspace = {}) const;

    double flops() const;                             ///< real additions and multiplications executed
    double bytes() const;                             ///< read and written by the kernels in the GPU's memory
    std::vector<ir::KernelInfo> kernels() const;      ///< in the order of their launches
    std::vector<GpuStepDescription> describe() const; ///< rebuilt on demand

private:
    struct State;
    explicit GpuPlan(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace swirl::planning
