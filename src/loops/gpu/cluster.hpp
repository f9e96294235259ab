#pragma once

#include "loops/gpu/kernel_loops.hpp"
#include "loops/gpu/regions.hpp"

namespace swirl::loops {

/// Regions that run one after the other in the blocks of a cluster, which access each other's shared memory (DSMEM),
/// become one region, whose innermost loop is over the cluster's blocks. One array holds what lies between calls of
/// regions with their own loop.
///
/// Distributes each region's own loop over `blocks` blocks, and with it the vector of a transform; after an exchange,
/// a region finds its data in its own block. `pitch`: entries of padding between the vectors of neighbouring
/// iterations. A cluster processes `transforms` neighbouring iterations of the innermost loop around all regions at
/// once.
/// One block executes regions without a loop of their own.
/// UserError if these counts do not divide the iterations; InternalError if a region's calls are no chain, it has more
/// than one loop of its own, or there are several exchanges.
KernelRegions in_cluster(KernelRegions regions, Integer blocks, Integer pitch, Integer transforms);
/// The same for the configuration of the kernel, which then has one transform per block.
void distribute_over_cluster(KernelLoops& kernel);

/// Whether each region has one loop of its own, or is a single codelet that gets one. Codelets of volumes may have two
/// around them.
bool has_shareable_loops(const KernelRegions& regions);

} // namespace swirl::loops
