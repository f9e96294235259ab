#pragma once

#include "loops/gpu/launch_configuration.hpp"
#include "loops/gpu/regions.hpp"

namespace swirl::loops {

/// Copies each of the caller's vectors that the region reads to shared memory first, and what it writes from shared memory at the end,
/// on the sides that LaunchConfiguration::staged names; reals in pairs if they are adjacent. Skips a side unless one iteration of the
/// surrounding loops touches whole vectors, or reads most of them, at a constant stride.
void stage(LoopProgram& loops, KernelRegion& region, const LaunchConfiguration& configuration);

/// For a copy between the caller's memory and shared memory with entries and transforms contiguous on both sides: a
/// single loop over the entries of all of a block's transforms. Nothing for any other copy.
std::optional<Call> over_all_transforms(const LoopProgram& loops, const KernelRegion& region,
                                        const Call& call, Integer transforms);

} // namespace swirl::loops
