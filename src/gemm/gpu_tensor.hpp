#pragma once

#include "ir/program.hpp"
#include "problem/matrix_product.hpp"

#include <array>
#include <string>

/// Matrices as the copy engine sees them.
namespace swirl::gemm {

/// Whether a matrix of a batch is told by a coordinate of its tensor, the last: where there are several.
bool has_matrices(const MatrixLayout& layout, Integer batch);

/// A matrix's extents, that of neighbours first, of which the others are `stride` elements apart; and the boxes that are moved at
/// once. Where their rows have `swizzle` bytes, these are swizzled (ir/tile.hpp).
ir::TensorInfo tensor_of(const char* name, std::array<Integer, 2> extents, Integer stride,
                         std::array<Integer, 2> box, Integer swizzle, const MatrixLayout& layout,
                         Integer batch);

/// Why a matrix is none that the copy engine can move; empty where it can. It reads neighbours along one of the extents.
std::string objection_to_tensor(const MatrixLayout& layout, Number number, Integer batch);

} // namespace swirl::gemm
