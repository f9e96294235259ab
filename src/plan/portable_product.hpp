#pragma once

#include "plan/matrix_multiply.hpp"

namespace swirl::planning {

/// C = α·A·B + β·C by the tiles that are compiled into the library, on the calling thread: of one matrix, no extent zero.
void multiply_portable(const MatrixProduct& product, const MatrixArguments& arguments);

/// Whether products have to be computed so: the processor is not one that machine code is made for, or the system forbids
/// running what was made.
bool needs_portable_products();

} // namespace swirl::planning
