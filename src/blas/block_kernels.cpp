#include "blas/block_kernels.hpp"

namespace swirl::blas {

BlockKernels block_kernels(const BlockShape& shape, const target::Cpu& cpu) {
    StripKernel strip = with_shape_for({.task = shape.task,
                                        .data_type = shape.data_type,
                                        .column_major = shape.b_by_columns,
                                        .reversed = !shape.lower,
                                        .scaled = shape.scaled,
                                        .most_rows = triangular_block},
                                       cpu);
    strip.rest = static_cast<int>(shape.rows % strip.lanes);
    const CopiedDiagonal diagonal = shape.unit                            ? CopiedDiagonal::ones
                                    : shape.task == TriangularTask::solve ? CopiedDiagonal::reciprocals
                                                                          : CopiedDiagonal::elements;
    return {{.layout = strip.layout(),
             .row_major = shape.a_by_rows,
             .conjugated = shape.a_conjugated,
             .diagonal = diagonal,
             .rest = strip.rest},
            strip};
}

BlockKernels with_divisions(BlockKernels kernels) {
    kernels.pack.diagonal = CopiedDiagonal::elements;
    kernels.strip.divides = true;
    return kernels;
}

} // namespace swirl::blas
