#pragma once

#include "gemm/gpu/schedule.hpp"
#include "ir/program.hpp"

/// Transposes operands to K-major, for tensor cores that read them in no other way.
namespace swirl::gemm {

/// An operand of a canonical problem, as a matrix with `k` rows and `mn_extent` columns (M or N).
struct OperandTranspose {
    MatrixLayout layout; ///< the operand's layout
    Integer k = 0;
    Integer mn_extent = 0;
    Integer matrices = 1; ///< 1 if the batch shares it
    DataType data_type = DataType::float32;

    /// Layout of the result in its own buffer: K contiguous for each index along M or N, matrix after matrix.
    MatrixLayout output_layout() const;
};
OperandTranspose transpose_of_a(const MatrixProduct& canonical);
OperandTranspose transpose_of_b(const MatrixProduct& canonical);

/// The result's buffer, workspace named after the operand: a_transposed or b_transposed.
ir::BufferInfo buffer_of_transposed(ir::ArgumentRole operand, const OperandTranspose& transpose);

/// The kernel that transposes operand A or B in square tiles through shared memory.
ir::Program transpose_kernel(ir::ArgumentRole operand, const OperandTranspose& transpose);

} // namespace swirl::gemm
