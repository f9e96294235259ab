#pragma once

#include "numpy.hpp"

namespace swirl::python {

/// Adds what swirl.distributed is made of: communicators, also on engines that are written in Python, boxes, distributed plans and
/// products.
void define_distributed(nb::module_& module);

} // namespace swirl::python
