#pragma once

#include "loops/gpu/launch_configuration.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "plan/transform/schedule.hpp"
#include "problem/problem.hpp"
#include "rules/rule.hpp"
#include "search/cost/gpu/model.hpp"
#include "target/gpu.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

/// Launch configurations for a pass's kernels, rated by the model.
namespace swirl::search {

/// Banks of shared memory, one entry wide each.
constexpr Integer bank_count = 32;

struct RatedConfiguration {
    loops::LaunchConfiguration configuration;
    double seconds;
};

/// One configuration per region.
struct RatedGroups {
    std::vector<loops::LaunchConfiguration> configurations;
    double seconds;
};

template <class Rated> void fastest_first(std::vector<Rated>& all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Rated& a, const Rated& b) { return a.seconds < b.seconds; });
}

/// The launch configurations of one pass's kernels, the best `ranks` of each, best first. Holds references.
class LaunchConfigurations {
public:
    LaunchConfigurations(const Transform& problem, const planning::DimensionPass& pass,
                         const target::Gpu& gpu, std::size_t ranks)
        : problem_(problem), pass_(pass), gpu_(gpu), ranks_(ranks) {}

    std::size_t ranks() const { return ranks_; }
    GpuCode code() const;
    Integer words() const;       ///< 32-bit words of one arithmetic value
    Integer entry_bytes() const; ///< in shared memory

    /// The pass's regions, not yet lowered; `separate_above` as in LaunchConfiguration.
    loops::KernelRegions regions_of(const rules::BreakdownTree& tree, Integer row, loops::Between between,
                                    Integer separate_above = 0) const;

    /// Configurations of a region that is a kernel of its own.
    std::vector<RatedConfiguration> of_region(const loops::KernelRegions& regions,
                                              const loops::KernelRegion& region, Integer row,
                                              bool whole) const;

    /// Configurations of regions fused in one block or in the blocks of a cluster: `entries` of one transform, one
    /// transform at a time, or several interleaved neighbours.
    std::vector<RatedConfiguration> of_fused_regions(const loops::KernelRegions& regions, Integer blocks,
                                                     Integer entries, bool neighbours) const;

    /// Configurations of all regions in one cooperative kernel, whose groups of blocks compute one transform of the batch
    /// after the other; fastest first. None for small batches and for GPUs without enough known properties.
    std::vector<RatedGroups> of_groups(const loops::KernelRegions& regions) const;

    /// The model's cost of each kernel of a pass by this schedule; nothing if it does not rate such kernels, or blocks do
    /// not fit.
    std::optional<std::vector<GpuKernelCost>> costs_of(const planning::PassSchedule& schedule) const;

    Integer batch() const; ///< transforms one after the other

    /// Shared memory that fused regions may use in a block.
    Integer max_fused_bytes() const { return gpu_.max_shared_bytes_per_block * 15 / 16; }

private:
    std::vector<Integer> threads_per_transform(const loops::KernelRegion& region,
                                               Integer most_iterations) const;
    void add(std::vector<RatedConfiguration>& rated, loops::LaunchConfiguration configuration,
             const GpuPitchedCost& best, double seconds_of_rest) const;
    /// Of the kernel for the transforms that do not fill a block, where threads keep what they read in registers (see
    /// loops_for_gpu); nothing if there are none.
    std::optional<GpuKernelCost> cost_of_rest(const loops::LoopProgram& loops,
                                              const loops::KernelRegion& region,
                                              const loops::LaunchConfiguration& configuration) const;
    double seconds_of_rest(const loops::LoopProgram& loops, const loops::KernelRegion& region,
                           const loops::LaunchConfiguration& configuration) const;
    /// The same of a region that is not yet arranged.
    std::optional<GpuKernelCost> rest_of(const loops::KernelRegions& regions,
                                         const loops::KernelRegion& region,
                                         const loops::LaunchConfiguration& configuration) const;
    bool leaves_out_by_table(const loops::KernelRegions& regions, const loops::KernelRegion& region) const;
    Integer transforms_for_all_multiprocessors(const loops::KernelRegion& region) const;
    double bound_of(const std::vector<RatedConfiguration>& rated) const;
    std::optional<GpuKernelCost> cost_of(const loops::KernelRegions& regions,
                                         const loops::KernelRegion& region,
                                         const loops::LaunchConfiguration& configuration) const;
    /// A region's best configuration with so many threads, if the blocks of a cooperative group can share the region.
    struct GroupRegion {
        loops::LaunchConfiguration configuration;
        GpuKernelCost cost;
        Integer blocks; ///< for one transform of the batch
    };
    std::optional<GroupRegion> best_of_group(const loops::KernelRegions& regions,
                                             const loops::KernelRegion& region, Integer threads) const;
    std::optional<RatedGroups> groups_of(const loops::KernelRegions& regions, Integer threads) const;
    /// Of regions in one cooperative kernel; nothing unless all blocks can be resident.
    std::optional<std::vector<GpuKernelCost>> group_costs(
        const loops::KernelRegions& regions,
        const std::vector<loops::LaunchConfiguration>& configurations) const;
    /// Of regions fused in the blocks of a cluster.
    std::optional<GpuKernelCost> fused_cost(const loops::KernelRegions& regions,
                                            const loops::LaunchConfiguration& configuration) const;
    std::optional<RatedConfiguration> with_best_pitch(const loops::KernelRegions& regions,
                                                      loops::LaunchConfiguration configuration) const;

    const Transform& problem_;
    const planning::DimensionPass& pass_;
    const target::Gpu& gpu_;
    std::size_t ranks_;
};

} // namespace swirl::search
