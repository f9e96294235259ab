#pragma once

#include "numpy.hpp"

namespace swirl::python {

/// Adds `transform_memory` and `data_types`: the Fourier transforms of memory given by address, which swirl.torch and
/// swirl.jax call.
void define_memory_transforms(nb::module_& module);

} // namespace swirl::python
