#pragma once

#include "cli/explain_gemm.hpp"

#include <string>

namespace swirl::cli {

/// A picture, as SVG, of a block's tile of C: the parts that warps have, and in the first warp's the elements of each lane.
std::string thread_map_of(const GemmExplanation& explanation);

} // namespace swirl::cli
