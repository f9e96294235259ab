#pragma once

#include "cli/explain/gemm.hpp"

#include <string>

namespace swirl::cli {

/// An SVG picture of a CTA tile of C: the regions of its warps, and within the first warp the elements of each lane.
std::string thread_map_of(const GemmExplanation& explanation);

} // namespace swirl::cli
