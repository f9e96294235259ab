#pragma once

#include "numpy.hpp"

namespace swirl::python {

/// Adds what swirl/fft.py calls: `transform` and `transform_many`, one dimension and several; `cosine_transform` and
/// `cosine_transform_many`, for sines too; `set_workers`, `get_workers`; `clear_cache`, `cached_plans`.
void define_transforms(nb::module_& module);

} // namespace swirl::python
