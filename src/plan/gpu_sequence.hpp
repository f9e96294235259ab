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
/// memory is taken from there if it is kept, and not derived.
class GpuSequence {
public:
    GpuSequence(const Problem& problem, const Recipe& recipe, const runtime::GpuDevice& device,
                const target::Gpu& gpu, runtime::KernelCache* cache);

    /// Whether it comes from the cache, where it is said to have been compared with the definition.
    bool is_checked() const { return is_checked_; }
    /// Puts it into the cache unless it is there like that. `checked`: what it gives has been compared with the definition.
    void keep(bool checked);
    /// It will not be kept again: what that takes, tables among them, is freed.
    void settle() { unkept_.reset(); }

    const std::vector<LaunchedKernel>& kernels() const { return kernels_; }
    /// The intermediate, then what each step's kernels hand on, over that of the other steps.
    std::size_t workspace_bytes() const { return workspace_bytes_; }
    /// Bytes of which addresses of the caller's memories have to be multiples, in the order of Binding::Source.
    std::array<std::size_t, Binding::sources> alignments() const;

    void launch(const Arguments& arguments, runtime::cuda::Address workspace,
                const runtime::GpuStream& stream) const;

private:
    /// As it was kept; false where it was not, or without its machine code.
    bool recall(const runtime::GpuDevice& device);
    void load(std::span<const runtime::GpuModule> modules, std::span<const std::byte> tables,
              const runtime::GpuDevice& device);

    std::vector<LaunchedKernel> kernels_;
    std::optional<runtime::GpuBuffer> tables_;
    std::size_t workspace_bytes_ = 0;
    bool is_checked_ = false;

    /// What the cache does not have of it yet, or has without the word that it was checked.
    struct Unkept {
        runtime::KernelCache& cache;
        runtime::CacheKey key;
        runtime::KernelLabel label;
        std::vector<runtime::CacheKey> code = {};
        std::vector<std::byte> tables = {};
        std::optional<runtime::KernelCache::Found> found = {}; ///< what is there, with the tables
    };
    std::optional<Unkept> unkept_;
};

} // namespace swirl::planning
