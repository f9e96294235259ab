#pragma once

#include "plan/plan.hpp"

namespace swirl::planning {

/// Runs a plan once on random data and compares it with the transform's definition along a second route: some outputs
/// are summed directly, and the sum of all outputs against a random character must give back one input point
/// (after Ergün, "Testing multivariate linear functions", 1995), so that every output counts. O(points) work.
/// Throws InternalError, naming the recipe, when they disagree.
void check_against_definition(const Plan& plan);

} // namespace swirl::planning
