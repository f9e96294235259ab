#pragma once

#include "plan/plan.hpp"
#include "plan/problem_data.hpp"

#include <functional>
#include <string>

namespace swirl::planning {

/// How messages name a plan.
std::string name_of_plan(const Problem& problem, const Recipe& recipe);

/// Runs a new plan once on random data and compares it with the transform's definition along a second route: one output is
/// summed directly, and the sum of all outputs with weights r^k, r a random point of the unit circle, must equal the
/// same functional of the input in closed form, so that every output counts (self-testing of linear functions: Ergün
/// 1995). O(points) work; data beyond 256 MiB is not checked, nor are
/// transforms that scale random data up to what their numbers cannot hold. Throws InternalError, naming the recipe, when they disagree.
/// All that lies around and between what it may write is watched: a plan that writes there, or changes what it only reads,
/// is an InternalError that names the array and the byte. `execute` transforms the data it is given.
void check_against_definition(const Problem& problem, const Recipe& recipe,
                              const std::function<void(ProblemData&)>& execute);
void check_against_definition(const Plan& plan);

} // namespace swirl::planning
