#pragma once

#include "loops/gpu/launch_configuration.hpp"
#include "loops/gpu/regions.hpp"

#include <optional>
#include <vector>

namespace swirl::loops {

/// The loops of one kernel.
struct KernelLoops {
    KernelRegions
        regions; ///< one; a cooperative kernel has several, and so has a cluster until it is distributed
    std::vector<LaunchConfiguration> configurations; ///< by region
    /// Iterations of the innermost loop around the calls of a single region that the kernel executes; absent: all.
    struct Range {
        Integer first;
        Integer count;
    };
    std::optional<Range> range = {};

    bool is_cooperative() const { return configurations.front().group_blocks > 0; }
};

} // namespace swirl::loops
