#pragma once

#include "problem/matrix_product.hpp"

namespace swirl::planning {

/// UserError for one of given_arrays_of that an execution has not been given.
[[noreturn]] void report_missing(const MatrixProduct& product, const ProblemArray& array);

} // namespace swirl::planning
