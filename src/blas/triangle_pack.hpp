#pragma once

#include <swirl/data_type.hpp>

#include "blas/max_stride.hpp"
#include "ir/program.hpp"
#include "target/cpu.hpp"

/// The copy of a triangular block that strip kernels read.
namespace swirl::blas {

/// Groups of `lanes` rows of a lower triangle, from the first row on: column by column, a vector of their elements'
/// real components, then one of the imaginary ones.
struct TriangleLayout {
    DataType data_type = DataType::float64;
    int lanes = 1;
    Integer most_rows = 1;
    /// Rows and columns are those of an upper triangle in memory, from the last to the first. Lanes are in memory's order.
    bool reversed = false;

    /// Scalars of a column of a group.
    Integer column_scalars() const { return (is_complex(data_type) ? 2 : 1) * Integer{lanes}; }
    Integer group_scalars() const { return column_scalars() * most_rows; }
    Integer scalars() const { return (most_rows + lanes - 1) / lanes * group_scalars(); }
    /// The lane of a row in a group of `count` rows.
    int lane_of(int row, int count) const { return reversed ? count - 1 - row : row; }
    /// Offset of the real component of element (i, j), j ≤ i, of a triangle with this many rows; the imaginary one
    /// follows at a distance of `lanes`.
    Integer offset(Integer i, Integer j, Integer rows) const {
        const Integer first = i / lanes * lanes;
        const int count = static_cast<int>(rows - first < lanes ? rows - first : lanes);
        return first / lanes * group_scalars() + j * column_scalars() +
               lane_of(static_cast<int>(i - first), count);
    }
    bool operator==(const TriangleLayout&) const = default;
};

/// What the copy holds on the diagonal.
enum class CopiedDiagonal : unsigned char {
    elements,
    reciprocals,
    ones, ///< the matrix's diagonal is not read
};

struct TrianglePack {
    TriangleLayout layout;
    bool row_major = false; ///< the matrix's rows are contiguous in memory; otherwise its columns
    bool conjugated = false;
    CopiedDiagonal diagonal = CopiedDiagonal::elements;
    int rest = 0; ///< rows beyond the last whole group
    Integer max_stride = blas::max_stride;
    bool operator==(const TrianglePack&) const = default;
};

/// The program. Buffers: `matrix`, whose first element is the block's first in memory, `triangle`, and for reciprocals
/// `quality`. Parameters:
///   rows    rounded down to a multiple of the lanes, ≤ most_rows
///   stride  distance in elements between columns, or between rows, ≤ max_stride
///
/// Elements on the other side of the diagonal are not read. quality[0] becomes 1 if multiplying by each reciprocal is as
/// good as dividing, otherwise 0. It is as good if the reciprocal is finite and far enough above the subnormal numbers,
/// which have fewer digits and may be flushed to zero, that nothing is lost.
ir::Program triangle_pack(const TrianglePack& pack);

} // namespace swirl::blas
