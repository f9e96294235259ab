#pragma once

#include "blas/mirror.hpp"
#include "blas/triangle_pack.hpp"
#include "blas/triangular_program.hpp"
#include "runtime/cpu/executable_memory.hpp"

namespace swirl::blas {

/// The check of a kernel before its first use: on small integers, whose results are exact and compared with the
/// definition. What must not be read is NaN; what must not be written stays as it was. Throws InternalError, naming the
/// kernel and the first wrong element.
void check_kernel(const StripKernel& kernel, runtime::KernelFunction function);
void check_kernel(const TrianglePack& kernel, runtime::KernelFunction function);
void check_kernel(const Mirror& kernel, runtime::KernelFunction function);

} // namespace swirl::blas
