#pragma once

#include "ir/program.hpp"
#include "problem/matrix_product.hpp"

#include <string>

namespace swirl::gemm {

/// A caller's matrix, or a batch of them, as a kernel argument: from its lowest element to its highest, in scalars;
/// read-only. Its role, a, b or c, is its name. Its alignment is a multiple of `aligned_elements` elements.
ir::BufferInfo buffer_of_matrix(ir::ArgumentRole role, DataType data_type, const MatrixLayout& layout,
                                Integer rows, Integer columns, Integer batch, Integer aligned_elements);

/// α and β as a kernel argument: two accumulators.
ir::BufferInfo buffer_of_alpha_beta(DataType accumulator);

/// Shared memory, aligned to so many bytes; `element` is a real type.
ir::BufferInfo buffer_in_smem(std::string name, DataType element, Integer elements, Integer alignment);

/// The caller's operands that a canonical problem has as its A and B.
struct OperandRoles {
    ir::ArgumentRole a, b;
};
constexpr OperandRoles operand_roles(bool is_swapped) {
    if (is_swapped) return {ir::ArgumentRole::b, ir::ArgumentRole::a};
    return {ir::ArgumentRole::a, ir::ArgumentRole::b};
}

} // namespace swirl::gemm
