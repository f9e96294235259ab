#pragma once

#include "base/integer.hpp"
#include "ir/builder.hpp"

#include <optional>

namespace swirl::gemm {

/// The order in which blocks take the tiles of a batch: rasterization groups of rows of tiles, column by column, so
/// that concurrent blocks read from cache.
struct TileRasterization {
    Integer rows = 1; ///< of tiles
    Integer columns = 1;
    Integer matrices = 1;
    Integer group = 1; ///< rows

    Integer tiles() const { return rows * columns * matrices; }
    struct Coordinates {
        ir::Value row, column, matrix;
    };
    /// Coordinates of tile `index`, less than tiles().
    Coordinates coordinates_of(ir::Builder& builder, ir::Value index) const;
    /// Of the tile with the index of the block divided by `blocks`, as digits of the block's index; nothing if groups
    /// do not divide the rows of tiles.
    std::optional<Coordinates> coordinates_of_block(ir::Builder& builder, Integer blocks) const;
};

} // namespace swirl::gemm
