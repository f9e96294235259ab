#pragma once

#include "loops/gpu/regions.hpp"

namespace swirl::loops {

/// Merges calls that only move entries into those that read or write these entries: zero padding into the first
/// computing call, truncation into the last. Locations with a limit mark the entries that do not exist.
void fold_moves(KernelRegions& kernels, const RegionRequest& request);

} // namespace swirl::loops
