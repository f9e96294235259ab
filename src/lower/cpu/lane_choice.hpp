#pragma once

#include "lower/twiddles.hpp"

namespace swirl::lower {

/// The loop to run in vector lanes, by estimated operations per entry: contiguous accesses are cheapest, then
/// in-register transposition, then one access per lane. Nothing if scalar code is no slower.
std::optional<LaneLoop> choose_lane(const Placement& placement, const std::vector<Loop>& loops,
                                    Integer lanes);

} // namespace swirl::lower
