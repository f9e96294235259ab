#pragma once

#include <swirl/element.hpp>

#include "blas/triangle_pack.hpp"
#include "blas/triangular_program.hpp"

namespace swirl::blas {

/// What determines the kernels of a triangular block.
struct BlockShape {
    TriangularTask task = TriangularTask::solve;
    DataType data_type = DataType::float64;
    Integer rows = 1; ///< ≤ triangular_block
    bool lower = true;
    bool unit = false;
    bool scaled = false;    ///< α is not 1
    bool a_by_rows = false; ///< the triangle's rows are contiguous; otherwise its columns
    bool a_conjugated = false;
    bool b_by_columns = true; ///< the right-hand sides' columns are contiguous; otherwise their rows
};

template <class T>
BlockShape block_shape(TriangularTask task, T alpha, const TriangularMatrix<T>& a,
                       const View<std::type_identity_t<T>>& b) {
    return {.task = task,
            .data_type = data_type_of<T>(),
            .rows = b.rows,
            .lower = a.lower,
            .unit = a.unit,
            .scaled = alpha != T(1),
            .a_by_rows = a.matrix.column_stride == 1 && a.matrix.row_stride != 1,
            .a_conjugated = a.matrix.conjugated,
            .b_by_columns = b.row_stride == 1 && b.column_stride != 1};
}

struct BlockKernels {
    TrianglePack pack;
    StripKernel strip;
};

/// If reciprocals of the diagonal are needed and as good as divisions. `strip` is for whole strips.
BlockKernels block_kernels(const BlockShape& shape, const target::Cpu& cpu);
/// Those that divide by the diagonal.
BlockKernels with_divisions(BlockKernels kernels);

} // namespace swirl::blas
