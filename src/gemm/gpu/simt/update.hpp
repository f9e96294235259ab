#pragma once

#include "gemm/gpu/blocks.hpp"
#include "gemm/gpu/epilogue/block_reductions.hpp"
#include "gemm/gpu/epilogue/epilogue.hpp"
#include "gemm/gpu/simt/accumulators.hpp"

namespace swirl::gemm {

/// Partial sums of a tile in memory, from blocks that each processed some of its k-tiles: the accumulators of all
/// threads, partial after partial.
struct TilePartials {
    ir::Buffer buffer = 0;
    ir::Value first = ir::no_value;     ///< index of the tile's first partial
    ir::Value following = ir::no_value; ///< number of partials that follow it
    Integer most = 1;                   ///< most partials of a tile
    Affine multiplies = {};             ///< 0: there are none
};

/// C of a block's tile.
struct TileOfC {
    ir::Buffer buffer = 0;
    ir::Buffer alpha_beta = 0; ///< α and β
    Affine reads_c = {};       ///< 1, or 0 if C is not read
    /// Offset of the tile's first element, in accesses of c_vector_m elements.
    ir::Value start = ir::no_value;
    /// Forms that are nonnegative for rows and columns that the block owns; add the row or column within the tile.
    /// Edge tiles overlap their predecessors, which own the negative ones.
    IndexValue own_row = {};
    IndexValue own_column = {};
    Affine own_matrix = {};       ///< likewise: threads past the last matrix of a batch repeat it
    Affine tile = {};             ///< index among all tiles of the launch
    Integer tiles = 1;            ///< number of tiles
    bool has_shared_rows = false; ///< whether another block may own some rows
    bool has_shared_columns = false;
    bool has_spare_matrices = false;
    const GpuEpilogueWriter* epilogue = nullptr; ///< started at the tile's first element; null: none
    const TilePartials* partials = nullptr;      ///< partials to reduce; null: threads hold the accumulators
    GpuBlockReductions* reductions = nullptr;    ///< started; null: none
};

/// C = α·accumulators + β·C, or the epilogue's result. Executed by all threads. With split-K or partials, adjacent
/// blocks finish some columns of each thread; `shares` of them, the lowest digit of the block index.
void update_c(ir::Builder& builder, const SimtGemm& schedule, const SimtThreadLayout& threads,
              const SimtAccumulators& accumulators, const MatrixProduct& canonical, const TileOfC& c);

/// Blocks that share the columns of a tile's threads when partials are reduced.
int reducing_blocks_of_partials(const SimtGemm& schedule);
/// Scalars of one partial.
Integer scalars_of_partial(const SimtGemm& schedule, const MatrixProduct& canonical);
/// Stores the threads' accumulators as partial `index`.
void store_partial(ir::Builder& builder, const SimtGemm& schedule, const SimtThreadLayout& threads,
                   const SimtAccumulators& accumulators, const MatrixProduct& canonical, ir::Buffer partials,
                   ir::Value index);

} // namespace swirl::gemm
