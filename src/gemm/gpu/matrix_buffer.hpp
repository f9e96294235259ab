#pragma once

#include "ir/program.hpp"
#include "problem/matrix_product.hpp"

namespace swirl::gemm {

/// A caller's matrix, or a batch of them, as a kernel argument: from its lowest element to its highest, in scalars;
/// read-only. Its role, a, b or c, is its name. Its alignment is a multiple of `aligned_elements` elements.
ir::BufferInfo buffer_of_matrix(ir::ArgumentRole role, DataType data_type, const MatrixLayout& layout,
                                Integer rows, Integer columns, Integer batch, Integer aligned_elements);

/// The caller's operands that a canonical problem has as its A and B.
struct OperandRoles {
    ir::ArgumentRole a, b;
};
constexpr OperandRoles operand_roles(bool is_swapped) {
    if (is_swapped) return {ir::ArgumentRole::b, ir::ArgumentRole::a};
    return {ir::ArgumentRole::a, ir::ArgumentRole::b};
}

} // namespace swirl::gemm
