#pragma once

#include "ir/program.hpp"
#include "problem/matrix_product.hpp"

#include <array>
#include <string>

/// Matrices as TMA tensor maps.
namespace swirl::gemm {

/// Whether the tensor's last coordinate selects the matrix of a batch: if there are several.
bool has_batch_coordinate(const MatrixLayout& layout, Integer batch);

/// Tensor map of a matrix. `extents`: the contiguous one first; the other has stride `stride`. `box`: moved at once;
/// rows of `swizzle` bytes are swizzled (ir/tile.hpp).
ir::TensorInfo tensor_map_of(const char* name, std::array<Integer, 2> extents, Integer stride,
                             std::array<Integer, 2> box, Integer swizzle, const MatrixLayout& layout,
                             Integer batch);

/// Reason why TMA cannot move a matrix; empty if it can. One of the extents must be contiguous.
std::string tensor_map_infeasibility(const MatrixLayout& layout, DataType data_type, Integer batch);

} // namespace swirl::gemm
