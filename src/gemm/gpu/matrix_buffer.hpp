#pragma once

#include "ir/program.hpp"
#include "problem/matrix_product.hpp"

#include <string>

namespace swirl::gemm {

/// A caller's matrix, or a batch of them, as a kernel argument: from its lowest element to its highest, in scalars;
/// read-only. Its alignment is a multiple of `aligned_elements` elements.
ir::BufferInfo buffer_of_matrix(const std::string& name, DataType number, const MatrixLayout& layout,
                                Integer rows, Integer columns, Integer batch, Integer aligned_elements);

} // namespace swirl::gemm
