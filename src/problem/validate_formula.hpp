#pragma once

#include "problem/problem.hpp"

namespace swirl {

/// Throws UserError for a formula that is missing, does not fit the transform, or is not a matrix known when planning;
/// Unsupported for sums too long for straight-line code.
void check_formula(const Transform& problem);

} // namespace swirl
