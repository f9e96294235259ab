#pragma once

#include "plan/matrix_kernel_check.hpp"
#include "plan/matrix_multiply.hpp"

namespace swirl::planning {

/// C = α·A·B + β·C with tiles compiled into the library, on the calling thread. One matrix, no extent zero.
void multiply_portable(const MatrixProduct& product, const MatrixArguments& arguments,
                       KernelCheck check = KernelCheck::on);

/// Whether products must be computed this way: no code generator for this processor, or the system forbids running
/// generated code.
bool needs_portable_gemm();

} // namespace swirl::planning
