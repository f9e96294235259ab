#pragma once

#include "loops/gpu/regions.hpp"

namespace swirl::loops {

/// Says which temporaries are passed between regions (KernelRegions::communicated) and which regions are fused
/// (KernelRegions::fused_ends). These temporaries reside where RegionRequest::between says; in global memory they store
/// adjacent pairs, with one copy per iteration of the loops that their regions share (Array::users_in).
void place_communicated_arrays(KernelRegions& kernels, const RegionRequest& request);

/// The regions fused into kernel `kernel`.
KernelRegions fused_regions(const KernelRegions& regions, std::size_t kernel);

} // namespace swirl::loops
