#pragma once

#include "plan/gpu_kernel.hpp"
#include "plan/plan.hpp"
#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda_compile.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/kernel_cache.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swirl::planning {

/// The steps of a problem on a GPU: where a recipe has fewer than dimensions, its first step does all from its own on
/// together. UserError for an invalid problem, or a recipe that does not fit it.
std::vector<Stage> gpu_stages(const Problem& problem, const Recipe& recipe);

/// The kernels of a recipe's steps, loaded into a GPU with their tables. With a cache, all but the tables' place in the GPU's
/// memory is kept there, and derived but once.
class GpuSequence {
public:
    GpuSequence(const Problem& problem, const Recipe& recipe, const runtime::GpuDevice& device,
                const target::Gpu& gpu, runtime::KernelCache* cache);

    const std::vector<LaunchedKernel>& kernels() const { return kernels_; }
    /// The intermediate, then what each step's kernels hand on, over that of the other steps.
    std::size_t workspace_bytes() const { return workspace_bytes_; }
    /// Bytes of which addresses of the caller's memories have to be multiples, in the order of Binding::Source.
    std::array<std::size_t, Binding::sources> alignments() const;

    void launch(const Arguments& arguments, runtime::cuda::Address workspace,
                const runtime::GpuStream& stream) const;

private:
    /// As it was kept; false where it was not, or without its machine code.
    bool recall(const runtime::CacheKey& key, const runtime::GpuDevice& device, runtime::KernelCache& cache);
    void keep(const runtime::CacheKey& key, const std::string& name,
              std::span<const runtime::KernelText> texts, const std::vector<std::byte>& tables,
              const runtime::GpuDevice& device, runtime::KernelCache& cache) const;
    void load(std::span<const runtime::GpuModule> modules, std::span<const std::byte> tables,
              const runtime::GpuDevice& device);

    std::vector<LaunchedKernel> kernels_;
    std::optional<runtime::GpuBuffer> tables_;
    std::size_t workspace_bytes_ = 0;
};

} // namespace swirl::planning
