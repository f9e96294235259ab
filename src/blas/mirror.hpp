#pragma once

#include <swirl/data_type.hpp>

#include "blas/max_stride.hpp"
#include "ir/program.hpp"

/// Both triangles of a symmetric or Hermitian matrix, from one of them.
namespace swirl::blas {

struct Mirror {
    DataType data_type = DataType::float64;
    bool upper = false; ///< the triangle in memory, whose columns are contiguous
    bool hermitian =
        false; ///< the other triangle is the conjugate; imaginary components of the diagonal count as zero
    bool conjugated = false; ///< the result is the conjugate of the matrix
    int lanes = 1;           ///< rows and columns of a square that is in registers
    int rest = 0;            ///< rows beyond the last whole square
    Integer most_rows = 1;
    Integer max_stride = blas::max_stride;
    bool operator==(const Mirror&) const = default;
};

/// The program. Buffers: `triangle` and `both`, whose columns follow each other. Parameters:
///   rows    rounded down to a multiple of the lanes, ≤ most_rows
///   stride  distance in elements between the triangle's columns, ≤ max_stride
/// Elements on the other side of the diagonal are not read.
ir::Program mirror(const Mirror& mirror);

} // namespace swirl::blas
