#pragma once

#include "lower/codelet.hpp"

namespace swirl::lower {

/// Where a codelet's entries lie, in lowering variables.
struct Placement {
    std::vector<Location> sources;
    std::vector<Location> targets;
};

/// The loop to run in vector lanes, by estimated operations for each entry: contiguous accesses first, then those an
/// in-register transposition serves, then one access a lane. Nothing when scalar code is no slower.
std::optional<LaneLoop> choose_lane(const Placement& placement, const std::vector<Loop>& loops,
                                    Integer lanes);

} // namespace swirl::lower
