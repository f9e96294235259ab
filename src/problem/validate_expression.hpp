#pragma once

#include "problem/problem.hpp"

namespace swirl {

/// UserError where an expression of the problem cannot be: indices, arrays, types or conditions that do not fit.
void check_expressions(const Problem& problem);

} // namespace swirl
