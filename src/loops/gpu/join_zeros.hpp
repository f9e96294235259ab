#pragma once

#include "loops/gpu/regions.hpp"

namespace swirl::loops {

/// Moves regions that only zero the caller's memory into an earlier region in the same loops, provided no region in
/// between reads there.
void join_zeros(KernelRegions& kernels, const RegionRequest& request);

/// Moves what is left of such regions into an earlier region in more loops, whose first iteration zeros, if these are a
/// few entries: a kernel for them would take longer.
void join_few_zeros(KernelRegions& kernels, const RegionRequest& request);

} // namespace swirl::loops
