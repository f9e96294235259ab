#pragma once

#include "blas/triangular_block.hpp"
#include "ir/program.hpp"
#include "target/cpu.hpp"

/// The innermost part of a task with a triangular matrix: a block of it, and as many right sides as stay in registers, a
/// strip. Groups of rows of the strip are in registers, one after the other, while those before pass by; then what is
/// within the group follows.
namespace swirl::blas {

struct StripKernel {
    TriangularTask task = TriangularTask::solve;
    Number number = Number::float64;
    bool by_columns = false; ///< a column's numbers are next to each other in memory, else a row's
    bool reversed =
        false; ///< the block's last row in memory is the program's first: an upper triangle is a lower one so
    bool scaled = false;   ///< right sides are multiplied by α first
    int lanes = 1;         ///< of a vector, and rows of a group
    int vectors = 1;       ///< of a row of the strip
    Integer most_rows = 1; ///< of a block

    int columns() const { return lanes * vectors; }
    bool operator==(const StripKernel&) const = default;
};

/// Lanes and vectors such that a group takes about half of the CPU's registers.
StripKernel with_shape_for(StripKernel kernel, const target::Cpu& cpu);

/// Scalars of the strip that the program keeps beside the matrix.
Integer workspace_scalars(const StripKernel& kernel);

/// Where in the copy of a triangle that the program reads its entry (i, j) lies, j ≤ i: the scalar that is its real part; its
/// imaginary part lies `lanes` behind. Entries on the diagonal are what sums are multiplied by: for solving, one over the
/// matrix's own.
Integer triangle_place(const StripKernel& kernel, Integer i, Integer j);
/// Scalars of that copy.
Integer triangle_scalars(const StripKernel& kernel);

/// The program, with buffers `triangle`, `factor` (α), `strip` (the matrix, read and written) and `workspace`, and the parameters
///   rows    a multiple of the lanes, ≤ most_rows
///   stride  in numbers, from one column, or one row, to the next
/// Every element of the result is one chain of multiply-adds.
ir::Program strip_program(const StripKernel& kernel, const target::Cpu& cpu);

} // namespace swirl::blas
