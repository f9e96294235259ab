#pragma once

#include "gemm/gpu/schedule.hpp"
#include "ir/builder.hpp"

namespace swirl::gemm {

/// What a block's index encodes: the tile, the matrix, and the range of K.
struct BlockCoordinates {
    Affine split, row_block, column_block, matrix;
    Affine tile; ///< linear index
    Integer tiles = 1;
    bool may_be_idle = false; ///< some blocks have no tile: their row_block is past the end
};

/// Tiles along rows and columns, and matrices.
struct TileGrid {
    Integer rows, columns, batch;
};

/// The sum of a form and a value computed in the kernel (no_value: 0).
struct IndexValue {
    Affine form = {};
    ir::Value value = ir::no_value;
};

/// A tile: its row block, its column block, and its matrix's index in the batch.
struct TileCoordinates {
    IndexValue row_block, column_block, matrix;

    static TileCoordinates of(const BlockCoordinates& coordinates) {
        return {{coordinates.row_block}, {coordinates.column_block}, {coordinates.matrix}};
    }
};

/// Launches the blocks. Splits vary fastest; then blocks of a rasterization group of rows, columns, groups, matrices
/// of the batch.
BlockCoordinates coordinates_of_block(ir::Builder& builder, const SimtGemm& schedule, const TileGrid& counts);

} // namespace swirl::gemm
