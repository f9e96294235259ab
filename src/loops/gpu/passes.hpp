#pragma once

#include "loops/gpu/kernel_loops.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

/// The passes over the Σ-SPL of GPU kernels, as data.
namespace swirl::loops {

/// Forms the regions of all kernels.
struct RegionsPass {
    std::string_view name;
    void (*function)(KernelRegions&, const RegionRequest&);
};
/// Shapes the loops of one kernel for its launch configuration.
struct KernelPass {
    std::string_view name;
    void (*function)(KernelLoops&);
};

/// The first pass builds the loops (build.hpp), the next ones make regions of them, the last one decides which memory
/// lies between regions.
std::span<const RegionsPass> regions_passes();

/// For regions that are kernels, or run one after the other in a cooperative kernel. Loops become blocks:
std::span<const KernelPass> opening_passes();
/// then calls are ordered, and the shared arrays between them found;
std::span<const KernelPass> arranging_passes();
/// at last arrays are laid out and all tags placed.
std::span<const KernelPass> placing_passes();
/// For regions fused into one kernel, before the placing passes.
std::span<const KernelPass> cluster_passes();

void run(std::span<const KernelPass> passes, KernelLoops& kernel);

/// Called after each pass; `kernel` counts the kernels.
struct GpuObserver {
    std::function<void(const RegionsPass&, const KernelRegions&)> regions;
    std::function<void(const KernelPass&, std::size_t kernel, const KernelLoops&)> kernels;
};

/// The request as the passes for GPUs take it.
Request on_gpu(Request request);

/// The regions of all kernels, after the regions passes.
KernelRegions kernel_regions(const RegionRequest& request, const GpuObserver& observer = {});

/// The same for a request with callbacks, or padded rows of shared memory (LaunchConfiguration::smem_pad_interval): of
/// the request's variants the first that suits its callbacks, padded only where its loops respect rows. `fuse_nested`:
/// see LaunchConfiguration.
KernelRegions kernel_regions_of(const Request& request, Integer smem_pad_interval, Between between,
                                bool fuse_nested, Integer separate_above = 0,
                                const GpuObserver& observer = {});
/// The same, faster, for a product of passes in one kernel: nothing is passed between kernels, where padded rows would
/// get in the way.
KernelRegions kernel_regions_of_passes(const Request& request, Integer smem_pad_interval, bool fuse_nested);

/// The kernels' loops after all passes, in execution order; the last configuration applies to all further kernels. If
/// transforms do not fill the last block, and threads keep what they read in registers, another kernel handles the rest.
/// UserError if the configurations do not suit the regions.
std::vector<KernelLoops> loops_for_gpu(const Request& request,
                                       const std::vector<LaunchConfiguration>& configurations,
                                       const GpuObserver& observer = {});

} // namespace swirl::loops
