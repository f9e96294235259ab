#include "loops/gpu/passes.hpp"

#include "base/error.hpp"
#include "loops/build.hpp"
#include "loops/callbacks.hpp"
#include "loops/gpu/cluster.hpp"
#include "loops/gpu/communicated.hpp"
#include "loops/gpu/distribute.hpp"
#include "loops/gpu/fold_components.hpp"
#include "loops/gpu/fold_moves.hpp"
#include "loops/gpu/fusion.hpp"
#include "loops/gpu/in_place.hpp"
#include "loops/gpu/join_zeros.hpp"
#include "loops/gpu/lay_out_arrays.hpp"
#include "loops/gpu/liveness.hpp"
#include "loops/gpu/open_loops.hpp"
#include "loops/gpu/place_gpu_tags.hpp"
#include "loops/gpu/rader_edges.hpp"
#include "loops/gpu/split_regions.hpp"
#include "loops/gpu/staging.hpp"

#include <algorithm>

namespace swirl::loops {

namespace {

/// A pass over one region, for each region of a kernel.
template <void (*function)(LoopProgram&, KernelRegion&, const LaunchConfiguration&)>
void in_each_region(KernelLoops& kernel) {
    for (std::size_t p = 0; p < kernel.regions.regions.size(); ++p)
        function(kernel.regions.loops, kernel.regions.regions[p], kernel.configurations[p]);
}

constexpr RegionsPass regions_list[] = {
    {"build",
     [](KernelRegions& kernels, const RegionRequest& request) { kernels.loops = build(request.loops); }},
    {"split into regions", split_into_regions},
    {"join zeros", join_zeros},
    {"fold moves", fold_moves},
    {"fold components", fold_components},
    {"join few zeros", join_few_zeros},
    {"fuse calls", fuse_calls},
    {"make in place", make_in_place},
    {"fuse edges", fuse_edges},
    {"split regions", split_regions},
    {"place communicated arrays", place_communicated_arrays},
};

constexpr KernelPass opening_list[] = {
    {"distribute independent calls", in_each_region<distribute_independent_calls>},
    {"open loops", in_each_region<open_loops>},
    {"distribute global calls", in_each_region<distribute_global_calls>},
};
constexpr KernelPass arranging_list[] = {
    {"stage in shared memory", in_each_region<stage>},
    {"remove copies", in_each_region<remove_copies>},
    {"share arrays", in_each_region<share_arrays>},
};
constexpr KernelPass placing_list[] = {
    {"lay out arrays", lay_out_arrays},
    {"place gpu tags", place_gpu_tags},
};
constexpr KernelPass cluster_list[] = {
    {"distribute over cluster", distribute_over_cluster},
};

/// Whether the request's callbacks suit the regions' calls: see has_complete_elements.
bool suits_callbacks(const KernelRegions& kernels, const Request& request) {
    return std::all_of(kernels.regions.begin(), kernels.regions.end(), [&](const KernelRegion& region) {
        return std::all_of(region.calls.begin(), region.calls.end(), [&](const Call& call) {
            return has_complete_elements(call, kernels.loops.extents, request.load, request.store);
        });
    });
}

/// The request with the formula that suits its callbacks, and its regions.
struct FormedRegions {
    RegionRequest request;
    KernelRegions kernels;
};

FormedRegions regions_for_callbacks(const RegionRequest& request) {
    if (!request.loops.by_complex_entries) {
        KernelRegions kernels = kernel_regions(request);
        if (!suits_callbacks(kernels, request.loops)) throw UnfollowedMap();
        return {request, std::move(kernels)};
    }
    try {
        KernelRegions kernels = kernel_regions(request);
        if (suits_callbacks(kernels, request.loops)) return {request, std::move(kernels)};
    } catch (const UnfollowedMap&) {} // forms are followed less far than addresses
    RegionRequest other = request;
    other.loops.formula = *request.loops.by_complex_entries;
    return {other, kernel_regions(other)};
}

/// With padded rows of shared memory, if the maps allow it.
std::optional<FormedRegions> regions_in_rows(const RegionRequest& request) {
    try {
        return regions_for_callbacks(request);
    } catch (const UnfollowedMap&) {
        return std::nullopt;
    }
}

KernelRegions observed(FormedRegions formed, const GpuObserver& observer) {
    if (observer.regions) kernel_regions(formed.request, observer);
    return std::move(formed.kernels);
}

bool fuses_regions(const LaunchConfiguration& configuration) {
    return configuration.cluster > 1 || configuration.fused;
}

/// Runs the passes of kernels, in order.
class KernelPasses {
public:
    KernelPasses(const std::vector<LaunchConfiguration>& configurations, const GpuObserver& observer)
        : configurations_(configurations), observer_(observer) {}

    std::vector<KernelLoops> finish() { return std::move(kernels_); }

    /// The region as a kernel of its own, and another for what does not fill a block.
    void add_region(const KernelRegions& regions, std::size_t region, std::size_t index) {
        const LaunchConfiguration& configuration = configuration_of(index);
        KernelLoops kernel{regions, {configuration}};
        kernel.regions.regions = {regions.regions[region]};
        run(opening_passes(), kernel);
        run(arranging_passes(), kernel);
        const std::vector<Loop>& around = kernel.regions.regions.front().around;
        const Integer count = around.empty() ? 1 : around.back().count;
        const Integer rest = configuration.single_buffer ? count % configuration.transforms : 0;
        if (count > rest) add_range(kernel, {0, count - rest});
        if (rest > 0) add_range(kernel, {count - rest, rest});
    }

    /// All regions in one kernel: in the blocks of a cluster, or in one block.
    void add_fused(const KernelRegions& regions, std::size_t index) {
        KernelLoops kernel{regions, {configuration_of(index)}};
        run(cluster_passes(), kernel);
        place(std::move(kernel));
    }

    /// All regions in one cooperative kernel of groups of blocks.
    void add_cooperative(const KernelRegions& regions) {
        KernelLoops kernel{regions, {}};
        for (std::size_t p = 0; p < regions.regions.size(); ++p)
            kernel.configurations.push_back(configuration_of(p));
        run(opening_passes(), kernel);
        run(arranging_passes(), kernel);
        for (std::size_t p = 0; p < regions.regions.size(); ++p)
            fit(kernel.configurations[p], kernel.regions, kernel.regions.regions[p]);
        require_suitable(kernel);
        place(std::move(kernel));
    }

private:
    const LaunchConfiguration& configuration_of(std::size_t kernel) const {
        return configurations_[std::min(kernel, configurations_.size() - 1)];
    }

    void run(std::span<const KernelPass> passes, KernelLoops& kernel) const {
        for (const KernelPass& pass : passes) {
            pass.function(kernel);
            if (observer_.kernels) observer_.kernels(pass, kernels_.size(), kernel);
        }
    }

    void add_range(KernelLoops kernel, const KernelLoops::Range& range) {
        kernel.range = range;
        Integer& transforms = kernel.configurations.front().transforms;
        transforms = std::min(transforms, range.count);
        place(std::move(kernel));
    }

    void place(KernelLoops kernel) {
        run(placing_passes(), kernel);
        kernels_.push_back(std::move(kernel));
    }

    /// Limits the transforms of a block to those that there are.
    void fit(LaunchConfiguration& configuration, const KernelRegions& regions,
             const KernelRegion& region) const {
        const bool has_own_loops = region.around.size() > regions.common.size();
        const Integer count = has_own_loops ? region.around.back().count : 1;
        configuration.transforms = std::min(configuration.transforms, count);
        if (configuration.threads != configurations_[0].threads)
            throw UserError("the regions of one kernel have {} and {} threads per block; use the same number",
                            configurations_[0].threads, configuration.threads);
        if (configuration.single_buffer && count % configuration.transforms != 0)
            throw UserError(
                "a block executes {} transforms, but holds {} at once; use a divisor, or leave "
                "out 'single_buffer'",
                count, configuration.transforms);
    }

    void require_suitable(const KernelLoops& kernel) const {
        const KernelRegions& regions = kernel.regions;
        if (regions.regions.size() < 2)
            throw UserError(
                "one kernel suffices without groups of blocks; leave out 'group_blocks' and "
                "'cooperative_groups'");
        if (configurations_.size() > regions.regions.size())
            throw UserError("{} launch configurations are given for {} regions", configurations_.size(),
                            regions.regions.size());
        if (configurations_[0].pipelined && (regions.regions.size() != 2 || regions.common.size() > 1))
            throw UserError(
                "'pipelined' is given for {} regions in {} loops; it needs two regions in at most one loop",
                regions.regions.size(), regions.common.size());
    }

    const std::vector<LaunchConfiguration>& configurations_;
    const GpuObserver& observer_;
    std::vector<KernelLoops> kernels_;
};

} // namespace

std::span<const RegionsPass> regions_passes() { return regions_list; }
std::span<const KernelPass> opening_passes() { return opening_list; }
std::span<const KernelPass> arranging_passes() { return arranging_list; }
std::span<const KernelPass> placing_passes() { return placing_list; }
std::span<const KernelPass> cluster_passes() { return cluster_list; }

void run(std::span<const KernelPass> passes, KernelLoops& kernel) {
    for (const KernelPass& pass : passes) pass.function(kernel);
}

Request on_gpu(Request request) {
    request.lanes = 1;
    request.pairs = false;
    request.cache_bytes = request.streaming_bytes = 0;
    request.for_gpu = true;
    return request;
}

KernelRegions kernel_regions(const RegionRequest& request, const GpuObserver& observer) {
    KernelRegions kernels;
    for (const RegionsPass& pass : regions_passes()) {
        pass.function(kernels, request);
        if (observer.regions) observer.regions(pass, kernels);
    }
    return kernels;
}

KernelRegions kernel_regions_of(const Request& original, Integer smem_pad_interval, Between between,
                                bool fuse_nested, Integer separate_above, const GpuObserver& observer) {
    RegionRequest request{on_gpu(original), between, separate_above};
    request.loops.nest_loops_inside = fuse_nested;
    FormedRegions unpadded = regions_for_callbacks(request);
    if (smem_pad_interval == 0) return observed(std::move(unpadded), observer);
    for (const int communicated : unpadded.kernels.communicated) {
        const Integer below =
            unpadded.kernels.loops.arrays[static_cast<std::size_t>(communicated)].elements - 1;
        request.loops.shared_entries =
            request.loops.shared_entries == 0 ? below : std::min(request.loops.shared_entries, below);
    }
    request.loops.smem_pad_interval = smem_pad_interval;
    std::optional<FormedRegions> padded = regions_in_rows(request);
    const bool respects_rows = padded && index_tables(padded->kernels) <= index_tables(unpadded.kernels);
    return observed(respects_rows ? std::move(*padded) : std::move(unpadded), observer);
}

KernelRegions kernel_regions_of_passes(const Request& original, Integer smem_pad_interval, bool fuse_nested) {
    RegionRequest request{on_gpu(original)};
    request.loops.nest_loops_inside = fuse_nested;
    request.loops.smem_pad_interval = smem_pad_interval;
    std::optional<FormedRegions> padded = regions_in_rows(request);
    if (padded && padded->kernels.communicated.empty() && index_tables(padded->kernels) == 0)
        return std::move(padded->kernels);
    return kernel_regions_of(original, smem_pad_interval, Between::global, fuse_nested);
}

std::vector<KernelLoops> loops_for_gpu(const Request& request,
                                       const std::vector<LaunchConfiguration>& configurations,
                                       const GpuObserver& observer) {
    ensure(!configurations.empty(), "no launch configuration for a GPU kernel");
    for (const LaunchConfiguration& configuration : configurations)
        ensure(configuration.threads >= 1 && configuration.transforms >= 1, "{} threads for {} transforms",
               configuration.threads, configuration.transforms);
    const LaunchConfiguration& first = configurations.front();
    const bool fused = std::any_of(configurations.begin(), configurations.end(), fuses_regions);
    const KernelRegions regions =
        kernel_regions_of(request, first.smem_pad_interval, fused ? Between::shared : Between::global,
                          first.fuse_nested, first.separate_above, observer);
    KernelPasses kernels(configurations, observer);
    if (first.group_blocks > 0) {
        kernels.add_cooperative(regions);
        return kernels.finish();
    }
    for (std::size_t k = 0; k < regions.regions.size() && !fused; ++k) kernels.add_region(regions, k, k);
    for (std::size_t k = 0; k < regions.fused_ends.size() && fused; ++k) {
        const KernelRegions own = fused_regions(regions, k);
        if (fuses_regions(configurations[std::min(k, configurations.size() - 1)]))
            kernels.add_fused(own, k);
        else if (own.regions.size() == 1)
            kernels.add_region(own, 0, k);
        else
            throw UserError(
                "kernel {} has {} regions; add 'fused' or 'cluster' to execute them in one kernel", k,
                own.regions.size());
    }
    return kernels.finish();
}

} // namespace swirl::loops
