#pragma once

#include "numpy.hpp"

namespace swirl::python {

/// Adds `Stft`, of signals given by address, for swirl.mel.
void define_stft(nb::module_& module);

} // namespace swirl::python
