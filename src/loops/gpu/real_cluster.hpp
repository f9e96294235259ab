#pragma once

#include "loops/gpu/cluster.hpp"

namespace swirl::loops {

/// Whether the regions exchange reals, with real and imaginary components as separate entries.
bool is_real_cluster(const KernelRegions& regions);

/// `in_cluster` for such regions: several calls of a region may access one vector, and regions without a loop of their
/// own run in one block.
KernelRegions real_cluster(KernelRegions regions, Integer blocks, Integer pitch);

} // namespace swirl::loops
