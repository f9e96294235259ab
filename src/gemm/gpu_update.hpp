#pragma once

#include "gemm/gpu_block_reductions.hpp"
#include "gemm/gpu_blocks.hpp"
#include "gemm/gpu_epilogue.hpp"
#include "gemm/gpu_sums.hpp"

namespace swirl::gemm {

/// What blocks that have had a share of a tile's pieces each have left of it in memory: the sums of so many thread maps, one after
/// the other.
struct GpuParts {
    ir::Buffer buffer = 0;
    ir::Value first = ir::no_value;   ///< the number of the tile's first part in the buffer
    ir::Value further = ir::no_value; ///< parts that follow it
    Integer most = 1;                 ///< parts that a tile has
    Affine steps = {};                ///< where this is 0 there are none
};

/// C of a block's tile.
struct GpuResult {
    ir::Buffer buffer = 0;
    ir::Buffer factors = 0; ///< α and β
    Affine reads_c = {};    ///< 1, or 0 where C is not read
    /// The place of the tile's first element, in accesses of c_lanes elements.
    ir::Value start = ir::no_value;
    /// The first row and column of the tile that are the block's own are nonnegative here: tiles at an edge lie over the ones
    /// before, which have what is negative. A row's, or a column's, place in the tile is to be added.
    GpuNumber own_row = {};
    GpuNumber own_column = {};
    Affine own_matrix = {};       ///< likewise: threads beyond the last matrix of a batch have it, too
    Affine tile = {};             ///< the number of the tile among all of the launch
    Integer tiles = 1;            ///< that there are
    bool has_shared_rows = false; ///< whether any row may be another block's
    bool has_shared_columns = false;
    bool has_spare_matrices = false;
    const GpuEpilogueWriter* epilogue =
        nullptr;                     ///< that has begun at the tile's first element; null: nothing is done
    const GpuParts* parts = nullptr; ///< of which sums are to be added up; null: threads have them
    GpuBlockReductions* reductions = nullptr; ///< that have begun; null: there are none
};

/// C = α·sums + β·C, or what the epilogue makes of it. All threads call it. With several splits, and with parts, neighbouring blocks
/// have some columns of each thread each: `shares` of them, the lowest digit of the block's index.
void update_result(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
                   const GpuSums& sums, const MatrixProduct& oriented, const GpuResult& c);

/// Blocks that share the columns of a tile's threads when parts are added up.
int shares_of_parts(const GpuSchedule& schedule);
/// Scalars of a part.
Integer scalars_of_part(const GpuSchedule& schedule, const MatrixProduct& oriented);
/// Leaves the sums of threads as the part of that number.
void keep_part(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
               const GpuSums& sums, const MatrixProduct& oriented, ir::Buffer parts, ir::Value number);

} // namespace swirl::gemm
