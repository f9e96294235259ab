#pragma once

#include "lower/factors.hpp"

namespace swirl::lower {

/// The loop to run in vector lanes, by estimated operations for each entry: contiguous accesses first, then those an
/// in-register transposition serves, then one access a lane. Nothing when scalar code is no slower.
std::optional<LaneLoop> choose_lane(const Placement& placement, const std::vector<Loop>& loops,
                                    Integer lanes);

} // namespace swirl::lower
