#pragma once

#include "plan/matrix_epilogue.hpp"
#include "plan/matrix_multiply.hpp"
#include "plan/sliced_route.hpp"

#include "gemm/tile_writer.hpp"

namespace swirl::planning {

/// C = α·A·B + β·C of float32 or int32 by a route of slices, on the calling thread, with the β that the update says: of one matrix, C's
/// rows next to each other, no extent zero. `block_depth` is the same for all parts of a product.
/// An epilogue is one that has kernels of slices.
void multiply_sliced(const SlicedRoute& route, const MatrixProduct& product, const MatrixArguments& arguments,
                     gemm::Update update, Integer block_depth, const EpilogueCall& epilogue = {});

/// Steps along the depth that are added to C at once.
Integer sliced_block_depth(const SlicedRoute& route, const MatrixProduct& product);

} // namespace swirl::planning
