#pragma once

#include "numpy.hpp"

namespace swirl::python {

/// Adds `convolve_memory`: circular convolutions with a spectrum, of blocks of memory that may overlap, as swirl.convolve cuts
/// a signal.
void define_convolutions(nb::module_& module);

} // namespace swirl::python
