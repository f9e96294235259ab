#pragma once

#include "plan/transform/cpu/kernel.hpp"
#include "runtime/kernel_cache.hpp"

#include <memory>
#include <optional>
#include <vector>

/// Plans for CPUs on disk: machine code, tables and buffer bindings of all kernels, so that none is derived again.
namespace swirl::planning {

/// The kernels of a plan in order; empty if they are not stored.
using Kernels = std::vector<std::unique_ptr<Kernel>>;

/// The entry of one plan in a cache.
class StoredPlan {
public:
    /// A cache has room for this many of the largest plans; larger ones are not stored.
    static constexpr std::size_t least_plans = 16;

    /// Keyed by the texts of problem and schedule, the CPU, the options that determine code, and this build of swirl,
    /// because another build may derive other code. There is no entry if the options name no cache, if the build is
    /// unknown, or if the CPU's kernels are not machine code.
    StoredPlan(const Transform& problem, const Schedule& schedule, const target::Cpu& cpu,
               const PlanOptions& options);

    Kernels read() const;
    void write(const Kernels& kernels) const;
    /// Removes an entry whose kernels proved wrong.
    void drop() const;

private:
    runtime::KernelCache* cache_ = nullptr; ///< null: there is no entry
    runtime::CacheKey key_;
    runtime::KernelLabel label_;
};

} // namespace swirl::planning
