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

/// Launches blocks: splits are neighbours; then blocks of a group of rows, columns, groups, and matrices of the batch.
BlockPlace place_of_block(ir::Builder& builder, const GpuSchedule& schedule, const BlockCounts& counts);

} // namespace swirl::gemm
