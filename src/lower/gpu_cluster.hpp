#pragma once

#include "lower/gpu_parts.hpp"

#include <set>

namespace swirl::lower {

/// Parts that run one after the other in the blocks of a cluster, which see each other's shared memory.
struct GpuCluster {
    LoopProgram
        loops; ///< arrays and extents; what lies between steps of parts with a loop of their own is in one array
    GpuPart part;                       ///< all steps; its innermost loop is over the cluster's blocks
    std::vector<std::size_t> exchanges; ///< the steps that write into other blocks' memory
    std::set<std::size_t> joined; ///< steps that are one with the step before: all is read before any writes
};

/// Each part's own loop is shared by `blocks` blocks; so is the vector that all of them work on, which what comes after an
/// exchange finds in its own block. `pitch`: entries left out between vectors of neighbouring iterations. A cluster has
/// `transforms` neighbours of the innermost loop around the parts at once, which have as many.
/// Parts without a loop of their own are done by one block.
/// UserError where these do not divide its iterations, InternalError where the steps of a part are no chain, it has more than one loop of its own, or there are several exchanges.
GpuCluster in_cluster(GpuParts parts, Integer blocks, Integer pitch, Integer transforms);

/// Whether each part has one loop of its own, or is a codelet alone that gets one. Codelets of volumes may have two around them.
bool has_loops_to_share(const GpuParts& parts);

} // namespace swirl::lower
