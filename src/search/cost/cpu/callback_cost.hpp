#pragma once

#include "plan/transform/dimension_passes.hpp"

namespace swirl::search {

/// Estimated cycles of the load and store callbacks of one transform of a pass: their arithmetic and the loads of their
/// arrays, as vectors of so many lanes.
double callback_cycles(const planning::DimensionPass& pass, double lanes);

} // namespace swirl::search
