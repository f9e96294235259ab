#pragma once

#include "numpy.hpp"

namespace swirl::python {

/// Adds the exceptions to the module, and maps swirl's C++ exceptions to them:
///     UserError    ValueError             Unavailable, Unsupported   subclasses of RuntimeError and NotImplementedError
///     OutOfMemory  MemoryError            OutOfTime                  a subclass of TimeoutError
///     Cancelled    KeyboardInterrupt      SystemError                OSError
///     InternalError                       a subclass of RuntimeError
void define_errors(nb::module_& module);

} // namespace swirl::python
