#pragma once

#include "plan/check/cpu_gemm.hpp"
#include "plan/gemm/cpu/multiply.hpp"

namespace swirl::planning {

/// C = α·A·B + β·C with tiles compiled into the library, on the calling thread. One matrix, no extent zero.
void multiply_portable(const MatrixProduct& product, const MatrixArguments& arguments,
                       KernelCheck check = KernelCheck::on);

/// Whether products must be computed this way: no code generator for this processor, or the system forbids running
/// generated code.
bool needs_portable_gemm();

} // namespace swirl::planning
