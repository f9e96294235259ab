#pragma once

#include "loops/gpu/launch_configuration.hpp"
#include "loops/gpu/regions.hpp"

namespace swirl::loops {

/// For a single codelet: moves its loops, except for a few iterations of inner ones, around it, where they become
/// blocks. Within other loops, which are blocks already, only if one block would have too many iterations.
void open_loops(LoopProgram& loops, KernelRegion& region, const LaunchConfiguration& configuration);

} // namespace swirl::loops
