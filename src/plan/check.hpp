#pragma once

#include "plan/plan.hpp"

namespace swirl::planning {

/// Runs a plan once on random data and compares it with the transform's definition along a second route: one output is
/// summed directly, and the sum of all outputs with weights r^k, r a random point of the unit circle, must equal the
/// same functional of the input in closed form, so that every output counts (self-testing of linear functions: Ergün
/// 1995). O(points) work. Throws InternalError, naming the recipe, when they disagree.
void check_against_definition(const Plan& plan);

} // namespace swirl::planning
