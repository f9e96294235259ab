#pragma once

#include "blas/triangular_program.hpp"
#include "runtime/cpu/executable_memory.hpp"

namespace swirl::blas {

/// Machine code of a strip kernel for this host, compiled on first use; safe for any number of threads. Null if
/// generated code cannot run.
runtime::KernelFunction compiled(const StripKernel& kernel);

/// The CPU for which these kernels are generated.
const target::Cpu& kernel_cpu();

} // namespace swirl::blas
