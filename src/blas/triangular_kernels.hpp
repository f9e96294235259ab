#pragma once

#include "blas/triangular_program.hpp"
#include "runtime/executable_memory.hpp"

namespace swirl::blas {

/// The machine code of a strip's kernel for the machine at hand, made when it is first asked for; for any number of threads.
/// Null where generated code cannot run.
runtime::KernelFunction compiled(const StripKernel& kernel);

/// The CPU that these kernels are for.
const target::Cpu& kernel_cpu();

} // namespace swirl::blas
