#pragma once

#include "plan/plan.hpp"
#include "plan/problem_data.hpp"

#include <functional>
#include <string>

namespace swirl::planning {

/// How messages name a plan.
std::string name_of_plan(const Problem& problem, const Recipe& recipe);

/// Runs a new plan once on random data and compares it with the transform's definition along a second route: one output is
/// summed directly, and of each transform of the batch the sum of all outputs with weights r^k, r a random point of the unit
/// circle, must equal the same functional of the input in closed form, so that every output counts (self-testing of linear
/// functions: Ergün 1995). O(data) work. Where a side spans more than 256 MiB nothing is checked: that would take several times
/// as much memory again, which a program that just holds its arrays may not have. All that lies around and between what the
/// plan may write is watched. Throws InternalError, naming the recipe, when the results differ, and one that names the array
/// and the byte, too, where the plan writes elsewhere or changes what it only reads.
/// `execute` transforms the data it is given.
void check_against_definition(const Problem& problem, const Recipe& recipe,
                              const std::function<void(ProblemData&)>& execute);
void check_against_definition(const Plan& plan);

} // namespace swirl::planning
