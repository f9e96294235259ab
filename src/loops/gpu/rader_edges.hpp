#pragma once

#include "loops/gpu/regions.hpp"

namespace swirl::loops {

/// Fuses a 2 × 2 matrix with the calls around it. The matrix acts on one of the caller's entries and the first entry
/// between two calls that match otherwise (see fuse_calls); the fused call has the caller's entry as a further one. So
/// the edge of Rader's algorithm needs no barrier of its own.
void fuse_edges(KernelRegions& kernels, const RegionRequest& request);

} // namespace swirl::loops
