#pragma once

#include "loops/gpu/regions.hpp"

namespace swirl::loops {

/// Merges calls that move real entries into the complex calls that read or write these entries as components: real data
/// without imaginary components into the first computing call, half a spectrum into the first or last. A location's
/// `im_limit` marks the components that do not exist. Arrays of reals of which only complex calls are left become arrays
/// of complex entries.
void fold_components(KernelRegions& kernels, const RegionRequest& request);

} // namespace swirl::loops
