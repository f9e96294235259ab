#pragma once

#include "plan/matrix_kernels.hpp"
#include "plan/matrix_multiply.hpp"

namespace swirl::planning {

/// C = α·A·B + β·C, with the β that the update says, by blocks, on the calling thread: the product is one of a batch, its C has row stride 1, no extent is
/// zero.
void multiply_blocks(MatrixKernels& kernels, const MatrixProduct& product, const MatrixArguments& arguments,
                     gemm::Update update);

} // namespace swirl::planning
