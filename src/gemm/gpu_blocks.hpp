#pragma once

#include "gemm/gpu_schedule.hpp"
#include "ir/builder.hpp"

namespace swirl::gemm {

/// What a block's index says: which tile of which product, and its share of the depth.
struct BlockPlace {
    Affine split, row_block, column_block, matrix;
    Affine tile; ///< a number of its own
    Integer tiles = 1;
    bool may_be_idle = false; ///< some blocks have no tile: their row_block is beyond the last
};

/// Tiles of rows and of columns, and matrices.
struct BlockCounts {
    Integer rows, columns, batch;
};

/// A form, and a value that is computed in the kernel (no_value: 0), added up.
struct GpuNumber {
    Affine form = {};
    ir::Value value = ir::no_value;
};

/// A tile: its block of rows and of columns, and the number of its matrix in the batch.
struct GpuTilePlace {
    GpuNumber row_block, column_block, matrix;

    static GpuTilePlace of(const BlockPlace& place) {
        return {{place.row_block}, {place.column_block}, {place.matrix}};
    }
};

/// Launches blocks: splits are neighbours; then blocks of a group of rows, columns, groups, and matrices of the batch.
BlockPlace place_of_block(ir::Builder& builder, const GpuSchedule& schedule, const BlockCounts& counts);

} // namespace swirl::gemm
