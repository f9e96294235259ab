#pragma once

#include "numpy.hpp"

namespace swirl::python {

/// Adds matmul.
void define_products(nb::module_& module);

} // namespace swirl::python
