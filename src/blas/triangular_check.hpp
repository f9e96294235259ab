#pragma once

#include "blas/triangular_program.hpp"
#include "runtime/cpu/executable_memory.hpp"

namespace swirl::blas {

/// The check of a triangular kernel before its first use: strips of small integers, whose results are exact and compared
/// with the definition. Throws InternalError, naming the kernel and the first wrong element.
void check_strip(const StripKernel& kernel, runtime::KernelFunction function);

} // namespace swirl::blas
