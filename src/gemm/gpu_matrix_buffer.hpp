#pragma once

#include "ir/program.hpp"
#include "problem/matrix_product.hpp"

#include <string>

namespace swirl::gemm {

/// A caller's matrix, or those of a batch, as an argument of a kernel: from the lowest of its elements to the highest one, in scalars; read alone.
/// `aligned_elements`: of so many together the alignment is a multiple.
ir::BufferInfo buffer_of_matrix(const std::string& name, Number number, const MatrixLayout& layout,
                                Integer rows, Integer columns, Integer batch, Integer aligned_elements);

} // namespace swirl::gemm
