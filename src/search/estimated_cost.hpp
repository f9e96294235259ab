#pragma once

#include "problem/problem.hpp"
#include "search/target.hpp"

namespace swirl::search {

/// What the model expects one execution to take, to compare problems on one target: seconds on a GPU, cycles on a CPU. Throws
/// as planning does.
double estimated_cost(const Transform& problem, const Target& target);

} // namespace swirl::search
