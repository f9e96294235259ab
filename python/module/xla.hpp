#pragma once

#include "numpy.hpp"

namespace swirl::python {

/// Adds `xla_handlers`: XLA's calls of transforms, by platform, which swirl.jax registers. Without XLA's headers when swirl was
/// built it is empty.
void define_xla_handlers(nb::module_& module);

} // namespace swirl::python
