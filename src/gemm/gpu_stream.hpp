#pragma once

#include "gemm/gpu_schedule.hpp"

#include <vector>

/// How few blocks share the pieces of all tiles, so that all are busy to the end (Osama et al., "Stream-K", arXiv:2301.03598).
namespace swirl::gemm {

/// A block goes through the pieces of so many tiles that it has for itself, then through its share of the pieces of the tiles that are
/// left, which may begin and end in the middle of a tile.
struct GpuStream {
    Integer row_blocks = 1, column_blocks = 1, batch = 1; ///< tiles
    Integer pieces = 1;                                   ///< of a tile
    Integer missing =
        0; ///< steps of a tile's second piece that the first has, too, where pieces do not divide the depth
    Integer blocks = 1;
    Integer whole_tiles = 0; ///< that each block has for itself: tile w·blocks + b is the w-th of block b

    Integer tiles() const { return row_blocks * column_blocks * batch; }
    Integer first_shared_tile() const { return whole_tiles * blocks; }
    Integer shared_tiles() const { return tiles() - first_shared_tile(); }
    /// Pieces of these that a block has, the last ones perhaps less.
    Integer share() const { return ceil_divide(shared_tiles() * pieces, blocks); }
    /// Pieces of a block in all.
    Integer pieces_of_block() const { return whole_tiles * pieces + share(); }
    /// Tiles that a share has pieces of, at most.
    Integer tiles_of_share() const { return share() < 2 ? 1 : (share() - 2) / pieces + 2; }
    /// Parts of tiles that several blocks have. From each part to the next the block's number grows by 1, or the tile's, or both:
    /// so their sum, counted from the first shared tile on, is a number that no two parts have.
    Integer parts() const { return blocks + shared_tiles() - 1; }
    /// Tiles that a block has pieces of, at most.
    Integer tiles_of_block() const { return whole_tiles + tiles_of_share(); }
    /// Parts of one tile, at most.
    Integer parts_of_tile() const { return std::min(blocks, pieces < 2 ? 1 : (pieces - 2) / share() + 2); }
};

/// Of a schedule that streams.
GpuStream stream_of(const GpuSchedule& schedule, const MatrixProduct& oriented);

/// Streams of a schedule without one, of as many blocks as the GPU holds at once: whole tiles fill all waves but the last one, or but
/// two. None where tiles fill all waves, or not even one, or the GPU's multiprocessors are not known.
std::vector<GpuSchedule> streams_for(const GpuSchedule& schedule, const MatrixProduct& product,
                                     const target::Gpu& gpu);

} // namespace swirl::gemm
