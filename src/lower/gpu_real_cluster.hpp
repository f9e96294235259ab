#pragma once

#include "lower/gpu_cluster.hpp"

namespace swirl::lower {

/// Whether what the parts exchange are reals, real beside imaginary part.
bool is_real_cluster(const GpuParts& parts);

/// `in_cluster` for these: steps of a part may be several to one vector, and parts without a loop of their own are done by one
/// block.
GpuCluster real_cluster(GpuParts parts, Integer blocks, Integer pitch);

} // namespace swirl::lower
