#pragma once

#include "gemm/gpu_block_reductions.hpp"
#include "gemm/gpu_epilogue.hpp"
#include "gemm/gpu_sums.hpp"

namespace swirl::gemm {

/// C of a block's tile.
struct GpuResult {
    ir::Buffer buffer = 0;
    ir::Buffer factors = 0; ///< α and β
    Affine reads_c = {};    ///< 1, or 0 where C is not read
    /// The place of the tile's first element, in accesses of c_lanes elements.
    ir::Value start = ir::no_value;
    /// The first row and column of the tile that are the block's own are nonnegative here: tiles at an edge lie over the ones
    /// before, which have what is negative. A row's, or a column's, place in the tile is to be added.
    Affine own_row = {};
    Affine own_column = {};
    Affine own_matrix = {};       ///< likewise: threads beyond the last matrix of a batch have it, too
    Affine tile = {};             ///< the number of the tile among all of the launch
    Integer tiles = 1;            ///< that there are
    bool has_shared_rows = false; ///< whether any row may be another block's
    bool has_shared_columns = false;
    bool has_spare_matrices = false;
    const GpuEpilogueWriter* epilogue =
        nullptr; ///< that has begun at the tile's first element; null: nothing is done
    GpuBlockReductions* reductions = nullptr; ///< that have begun; null: there are none
};

/// C = α·sums + β·C, or what the epilogue makes of it. All threads call it. With several splits each block of the cluster has some columns of each thread.
void update_result(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
                   const GpuSums& sums, const MatrixProduct& oriented, const GpuResult& c);

} // namespace swirl::gemm
