#pragma once

#include "lower/lower.hpp"
#include "problem/problem.hpp"

#include <vector>

namespace swirl::planning {

/// A side's expression, which is not the identity, as lower/ wants it. Its forms have a stride for each of the side's axes
/// (batches first, then dimensions).
lower::Pointwise pointwise_of(const Problem& problem, Side side);

/// The problem's arrays as lower/ wants them.
std::vector<lower::CallersArray> callers_arrays(const Problem& problem);

} // namespace swirl::planning
