#pragma once

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
    int lanes = 1;         ///< lanes of a vector, also rows of a group
    int vectors = 1;       ///< vectors per row of the strip
    Integer most_rows = 1; ///< of a block

    int columns() const { return lanes * vectors; }
    bool operator==(const StripKernel&) const = default;
};

/// Chooses lanes and vectors such that a group takes about half of the CPU's registers.
StripKernel with_shape_for(StripKernel kernel, const target::Cpu& cpu);

/// Scalars of the strip in the program's workspace.
Integer workspace_scalars(const StripKernel& kernel);

/// Offset of entry (i, j), j ≤ i, in the copy of the triangle that the program reads: that of the real component; the
/// imaginary component follows at a distance of `lanes`. Diagonal entries are the factors by which sums are multiplied:
/// when solving, the reciprocals of the matrix's own.
Integer triangle_offset(const StripKernel& kernel, Integer i, Integer j);
/// Scalars of that copy.
Integer triangle_scalars(const StripKernel& kernel);

/// The program. Buffers: `triangle`, `factor` (α), `strip` (the matrix, read and written) and `workspace`. Parameters:
///   rows    a multiple of the lanes, ≤ most_rows
///   stride  distance in elements between columns, or between rows
/// Every element of the result is one chain of multiply-adds.
ir::Program strip_program(const StripKernel& kernel, const target::Cpu& cpu);

} // namespace swirl::blas
