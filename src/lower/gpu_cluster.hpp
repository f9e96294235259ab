#pragma once

#include "lower/gpu_parts.hpp"

namespace swirl::lower {

/// Parts that run one after the other in the blocks of a cluster, which see each other's shared memory.
struct GpuCluster {
    LoopProgram loops;                  ///< arrays and extents; all that lies between steps is in one array
    GpuPart part;                       ///< all steps; its innermost loop is over the cluster's blocks
    std::vector<std::size_t> exchanges; ///< the steps that write into other blocks' memory
};

/// Each part's own loop is shared by `blocks` blocks; so is the vector that all of them work on, which what comes after an
/// exchange finds in its own block. `pitch`: entries left out between vectors of neighbouring iterations. A cluster has
/// `transforms` neighbours of the innermost loop around the parts at once, which have as many.
/// InternalError where the parts are no chain, have more than one loop of their own, or do not divide evenly.
GpuCluster in_cluster(GpuParts parts, Integer blocks, Integer pitch, Integer transforms);

} // namespace swirl::lower
