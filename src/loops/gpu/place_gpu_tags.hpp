#pragma once

#include "loops/gpu/launch_configuration.hpp"
#include "loops/gpu/regions.hpp"

#include <set>
#include <vector>

namespace swirl::loops {

/// Tags the loops around a region's calls as blocks of the launch, of the innermost one several iterations a block, and
/// those of its calls as threads of a block; says how threads share each call (KernelRegion::shares). Neighbouring
/// threads run the innermost loops. The region and its arrays are laid out for the configuration.
/// `exchanges`, `joined`: see GpuCluster.
void place_gpu_tags(const LoopProgram& loops, KernelRegion& region, const LaunchConfiguration& configuration,
                    const std::vector<std::size_t>& exchanges = {}, const std::set<std::size_t>& joined = {});

} // namespace swirl::loops
