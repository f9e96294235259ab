#pragma once

#include "loops/gpu/launch_configuration.hpp"
#include "loops/gpu/regions.hpp"

#include <vector>

namespace swirl::loops {

/// Prepares a region to be its own kernel: turns loops of its calls into blocks.
void open_region(LoopProgram& loops, KernelRegion& region);
/// Orders an open region's calls and minimises its shared memory: see `staged` and `single_buffer` of
/// LaunchConfiguration.
void arrange_region(LoopProgram& loops, KernelRegion& region, SmemStaging staged, bool held);

/// Lays out an arranged region's arrays for a kernel: shared arrays get one copy per transform of a block, others one
/// per iteration of the loops around their users (KernelRegions::around_users).
void lay_out_arrays(LoopProgram& loops, const LaunchConfiguration& configuration,
                    const std::vector<std::vector<Loop>>& around_users);

} // namespace swirl::loops
