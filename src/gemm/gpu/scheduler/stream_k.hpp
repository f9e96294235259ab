#pragma once

#include "gemm/gpu/schedule.hpp"

#include <vector>

/// Stream-K: few blocks share the k-tiles of all tiles and stay busy to the end (Osama et al., "Stream-K",
/// arXiv:2301.03598).
namespace swirl::gemm {

/// A block first processes some tiles entirely (data-parallel), then its share of the k-tiles of the remaining tiles.
/// A share may begin and end within a tile.
struct StreamKPartition {
    Integer tiles_m = 1, tiles_n = 1, batch = 1; ///< tiles
    Integer k_tiles = 1;                         ///< per tile
    Integer padding =
        0; ///< k indices that a tile's second k-tile shares with its first, where k-tiles do not divide K
    Integer blocks = 1;
    Integer data_parallel_tiles =
        0; ///< processed entirely by each block: tile w·blocks + b is the w-th of block b

    Integer tiles() const { return tiles_m * tiles_n * batch; }
    Integer first_stream_k_tile() const { return data_parallel_tiles * blocks; }
    Integer stream_k_tiles() const { return tiles() - first_stream_k_tile(); }
    /// Stream-K k-tiles per block; the last blocks may have fewer.
    Integer k_tiles_per_block() const { return ceil_divide(stream_k_tiles() * k_tiles, blocks); }
    /// All k-tiles of a block.
    Integer k_tiles_of_block() const { return data_parallel_tiles * k_tiles + k_tiles_per_block(); }
    /// Most tiles that a block's share touches.
    Integer stream_k_tiles_of_block() const {
        return k_tiles_per_block() < 2 ? 1 : (k_tiles_per_block() - 2) / k_tiles + 2;
    }
    /// Partials of tiles that several blocks share. From one partial to the next, the block index or the tile index
    /// or both grow by 1. Their sum, counted from the first shared tile, is thus a unique index.
    Integer partials() const { return blocks + stream_k_tiles() - 1; }
    /// Most tiles that a block touches.
    Integer tiles_of_block() const { return data_parallel_tiles + stream_k_tiles_of_block(); }
    /// Most partials of one tile.
    Integer partials_of_tile() const {
        return std::min(blocks, k_tiles < 2 ? 1 : (k_tiles - 2) / k_tiles_per_block() + 2);
    }
};

/// For a Stream-K schedule.
StreamKPartition stream_k_of(const SimtGemm& schedule, const MatrixProduct& canonical);

/// Stream-K variants of a schedule, with as many blocks as the GPU holds at once: whole tiles fill all waves but the
/// last, or the last two. None if tiles fill all waves or not even one, or the number of multiprocessors is unknown.
std::vector<SimtGemm> stream_k_candidates(const SimtGemm& schedule, const CanonicalGemm& canonical,
                                          const target::Gpu& gpu);

} // namespace swirl::gemm
