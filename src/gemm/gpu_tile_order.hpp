#pragma once

#include "base/integer.hpp"
#include "ir/builder.hpp"

namespace swirl::gemm {

/// Tiles of a batch's products in the order in which blocks take them: groups of rows of tiles, in these columns, one after the other,
/// so that what neighbours read is in cache.
struct GpuTileOrder {
    Integer rows = 1; ///< of tiles
    Integer columns = 1;
    Integer matrices = 1;
    Integer group = 1; ///< rows

    Integer tiles() const { return rows * columns * matrices; }
    struct Place {
        ir::Value row, column, matrix;
    };
    /// Where the tile of a number below tiles() is.
    Place place_of(ir::Builder& builder, ir::Value number) const;
};

} // namespace swirl::gemm
