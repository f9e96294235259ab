#pragma once

#include "loops/gpu/regions.hpp"

/// Calls over whole vectors that exceed a block's shared memory.
namespace swirl::loops {

/// Whether the accesses prove that calls may run in any order, or concurrently: if one writes an array that another
/// accesses, their ranges are disjoint. `around`: loops around both. A single call qualifies: its iterations are
/// independent.
bool are_independent(const LoopProgram& loops, const std::vector<Call>& calls,
                     const std::vector<Loop>& around);

/// Splits regions in no other loops than those around all, if their calls pass on more elements than
/// RegionRequest::separate_above, into sequences of calls that are independent of each other or pass on no more than
/// that. Adds the arrays that one sequence writes and a later one reads to `communicated`.
void split_regions(KernelRegions& kernels, const RegionRequest& request);

} // namespace swirl::loops
