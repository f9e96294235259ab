#pragma once

#include "loops/gpu/launch_configuration.hpp"
#include "loops/gpu/regions.hpp"
#include "lower/lower.hpp"

#include <functional>
#include <vector>

namespace swirl::lower {

/// The regions of the GPU kernels; parameters as in LaunchConfiguration. Padding applies to shared memory alone, and
/// only where the loops respect rows.
KernelRegions kernel_regions_of(const KernelRequest& request, Integer smem_pad_interval, Between between,
                                bool fuse_nested, Integer separate_above = 0);
/// The same, faster, for a product of passes in one kernel: nothing is passed between kernels, where padded rows would
/// get in the way.
KernelRegions kernel_regions_of_passes(const KernelRequest& request, Integer smem_pad_interval,
                                       bool fuse_nested);

/// Called with each region, and the arrays laid out for it, once its loops have their tags.
using RegionObserver = std::function<void(const LoopProgram&, const KernelRegion&)>;

/// The GPU kernels in execution order; the last configuration applies to all further kernels. Loops around everything
/// become blocks. A block's threads share the iterations of each call, several per thread if there are more;
/// neighbouring threads get neighbours in global memory. Barriers separate the calls, which communicate through shared
/// memory (unpadded where loops do not respect rows). Kernels communicate through scratch buffers, with the same names
/// in all of them. If transforms do not fill the last block, a separate kernel may handle the rest.
std::vector<ir::Program> lower_to_gpu(const KernelRequest& request,
                                      const std::vector<LaunchConfiguration>& configurations,
                                      const RegionObserver& observer = {});

} // namespace swirl::lower
