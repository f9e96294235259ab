#pragma once

#include "blas/mirror.hpp"
#include "blas/triangle_pack.hpp"
#include "blas/triangular_program.hpp"
#include "runtime/cpu/executable_memory.hpp"

namespace swirl::blas {

/// Whether generated code can run here.
bool can_run_kernels();

/// Machine code for this host, compiled and checked on first use; safe for any number of threads. Generated code must be
/// able to run.
runtime::KernelFunction compiled(const StripKernel& kernel);
runtime::KernelFunction compiled(const TrianglePack& kernel);
runtime::KernelFunction compiled(const Mirror& kernel);

/// The CPU for which these kernels are generated.
const target::Cpu& kernel_cpu();

} // namespace swirl::blas
