#pragma once

#include "plan/matrix_extras.hpp"
#include "plan/matrix_kernels.hpp"
#include "plan/matrix_multiply.hpp"
#include "plan/matrix_region.hpp"

namespace swirl::planning {

/// C = α·A·B + β·C, with the β that the update says, by blocks of at most so much depth, on the calling thread: the product is
/// of one matrix, its C has row stride 1, no extent is zero. Elements of C beside the region are neither read nor written.
/// An epilogue is one of tiles, and the region then all of C.
void multiply_blocks(MatrixKernels& kernels, const MatrixProduct& product, const MatrixArguments& arguments,
                     gemm::Update update, Integer block_depth, const MatrixRegion& region = {},
                     const MatrixExtras& extras = {});

} // namespace swirl::planning
