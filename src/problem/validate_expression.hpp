#pragma once

#include "problem/problem.hpp"

namespace swirl {

/// Throws UserError for an invalid expression: indices, arrays, types or conditions that do not fit.
void check_expressions(const Transform& problem);

} // namespace swirl
