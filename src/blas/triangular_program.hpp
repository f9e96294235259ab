#pragma once

#include "blas/max_stride.hpp"
#include "blas/triangle_pack.hpp"
#include "blas/triangular_block.hpp"
#include "ir/program.hpp"
#include "target/cpu.hpp"

/// The innermost kernel of a triangular task: one block of the matrix, and a strip, which is as many right-hand sides
/// as fit in registers. Groups of the strip's rows are in registers one after the other, while the preceding rows
/// stream past; the triangle within the group follows.
namespace swirl::blas {

struct StripKernel {
    TriangularTask task = TriangularTask::solve;
    DataType data_type = DataType::float64;
    bool column_major = false; ///< the strip's columns are contiguous in memory; otherwise its rows
    bool reversed =
        false; ///< the block's last row in memory is the program's first, so that an upper triangle is a lower one
    bool scaled = false;   ///< right-hand sides are first multiplied by α
    bool divides = false;  ///< when solving: the diagonal divides; otherwise its reciprocals multiply
    int lanes = 1;         ///< lanes of a vector, also rows of a group
    int vectors = 1;       ///< vectors per row of the strip
    int columns = 1;       ///< of the strip, ≤ lanes · vectors
    int rest = 0;          ///< rows beyond the last whole group
    Integer most_rows = 1; ///< of a block
    Integer max_stride = blas::max_stride;

    TriangleLayout layout() const { return {data_type, lanes, most_rows, reversed}; }
    bool operator==(const StripKernel&) const = default;
};

/// Chooses lanes and vectors such that a group takes about half of the CPU's registers, and as many columns.
StripKernel with_shape_for(StripKernel kernel, const target::Cpu& cpu);
/// The kernel for a strip with fewer columns.
StripKernel with_columns(StripKernel kernel, int columns);

/// Scalars of the strip in the program's workspace.
Integer workspace_scalars(const StripKernel& kernel);

/// The program. Buffers: `triangle` (its copy in the kernel's layout), `factor` (α), `strip` (the matrix, read and
/// written) and `workspace`. Parameters:
///   rows    rounded down to a multiple of the lanes, ≤ most_rows
///   stride  distance in elements between columns, or between rows, ≤ max_stride
/// Every element of the result is one chain of multiply-adds.
ir::Program strip_program(const StripKernel& kernel, const target::Cpu& cpu);

} // namespace swirl::blas
