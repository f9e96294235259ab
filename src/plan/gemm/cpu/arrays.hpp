#pragma once

#include "problem/matrix_product.hpp"

namespace swirl::planning {

/// Throws UserError for one of given_arrays_of that was not bound before an execution.
[[noreturn]] void report_missing(const MatrixProduct& product, const AuxiliaryArray& array);

} // namespace swirl::planning
