#pragma once

#include "plan/schedule.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "plan/transform/gpu/kernel.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda/compile.hpp"
#include "runtime/cuda/device.hpp"
#include "runtime/kernel_cache.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swirl::planning {

/// The passes of a problem on a GPU. If a schedule has fewer passes than dimensions, its first pass fuses the dimensions
/// from its own on. Throws UserError for an invalid problem, or a schedule that does not fit it.
std::vector<DimensionPass> gpu_passes(const Transform& problem, const Schedule& schedule);

/// Called, unless empty, while kernels are made; may throw to end that.
struct GpuKernelsProgress {
    std::function<void()> interrupt = {};                             ///< between passes
    std::function<void(const PlanningWork&)> before_compilation = {}; ///< with the work of these kernels
};

/// The kernels of a schedule's passes, loaded into a GPU with their tables. A cache hit provides everything but the
/// device address of the tables, and nothing is derived.
class GpuKernels {
public:
    /// `interrupt`, unless empty, is called before each pass and before compilation.
    GpuKernels(const Transform& problem, const Schedule& schedule, const runtime::GpuDevice& device,
               const target::Gpu& gpu, runtime::KernelCache* cache, const GpuKernelsProgress& progress = {});

    /// Whether the cache says that these kernels passed the check against the definition.
    bool is_checked() const { return is_checked_; }
    /// Stores the kernels in the cache, unless it has them in this state. `checked`: they match the definition.
    void store(bool checked);
    /// Frees what store() needs, tables included. No store() may follow.
    void release_unstored() { unstored_.reset(); }

    const std::vector<LaunchedKernel>& kernels() const { return kernels_; }
    /// Of deriving them, and compiling those whose machine code the cache lacked; none if the cache had all.
    const PlanningWork& work() const { return work_; }
    /// The intermediate, plus the scratch between the kernels of a pass, which all passes share.
    std::size_t workspace_bytes() const { return workspace_bytes_; }
    /// Of all kernels; identical tables are stored once.
    Integer table_bytes() const { return static_cast<Integer>(tables_->bytes()); }
    /// Required alignments in bytes of the caller's arrays, in the order of Binding::Source.
    std::array<std::size_t, Binding::sources> alignments() const;

    void launch(const Arguments& arguments, runtime::cuda::Address workspace,
                const runtime::GpuStream& stream) const;
    void launch_one(std::size_t kernel, const Arguments& arguments, runtime::cuda::Address workspace,
                    const runtime::GpuStream& stream) const;

private:
    GpuAddresses addresses_of(const Arguments& arguments, runtime::cuda::Address workspace) const;
    /// Loads from the cache. Returns false if the cache lacks the entry or its machine code.
    bool lookup(const runtime::GpuDevice& device);
    void load(std::span<const runtime::GpuModule> modules, const runtime::GpuDevice& device);
    void copy_tables(const TableImage& image, const runtime::GpuDevice& device);
    void copy_table(std::span<const std::byte> bytes, std::size_t offset, const runtime::GpuDevice& device);

    std::vector<LaunchedKernel> kernels_;
    std::optional<runtime::GpuBuffer> tables_;
    std::size_t workspace_bytes_ = 0;
    bool is_checked_ = false;
    PlanningWork work_;

    /// What the cache lacks: the entry, or the mark that it was checked.
    struct Unstored {
        runtime::KernelCache& cache;
        runtime::CacheKey key;
        runtime::KernelLabel label;
        std::vector<runtime::CacheKey> code = {};
        std::vector<std::byte> tables = {};
        std::optional<runtime::KernelCache::Found> found = {}; ///< the existing entry, with the tables
    };
    std::optional<Unstored> unstored_;
};

} // namespace swirl::planning
