#include "plan/matrix_epilogue.hpp"

#include "problem/matrix_product.hpp"

#include <algorithm>

namespace swirl::planning {

MatrixEpilogue::MatrixEpilogue(const MatrixProduct& product)
    : expression_(product, scope_of(product), product.epilogue),
      is_scattered_(product.c.row_stride != 1 && product.c.column_stride != 1 &&
                    !needs_conversion_buffer(product)) {}

void MatrixEpilogue::use(const MatrixKernels& plain) {
    kernels_ = MatrixKernels::shared(plain.types(), plain.schedule(), plain.cpu(), code(), plain.check());
}

void MatrixEpilogue::use(const AmxKernels& plain) {
    amx_ = AmxKernels::shared(plain.schedule(), plain.types(), code(), plain.check());
}

bool MatrixEpilogue::suits(const gemm::Tile& tile) const {
    // Offsets within a tile are displacements of instructions.
    constexpr Integer most_bytes = Integer{1} << 30;
    const auto& operands = code().operands;
    return !is_scattered_ && operands.size() <= most_operands &&
           std::all_of(operands.begin(), operands.end(), [&](const auto& operand) {
               const Integer reach =
                   operand.row_stride * 4 * tile.rows() + operand.column_stride * 4 * tile.columns;
               return reach < most_bytes / 16;
           });
}

} // namespace swirl::planning
