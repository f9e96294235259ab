#pragma once

#include "gemm/gpu/blocks.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"

namespace swirl::gemm {

/// A block's position in the stream of all tiles' k-tiles, computed in the kernel.
class StreamKCoordinates {
public:
    StreamKCoordinates(ir::Builder& builder, const SimtGemm& schedule, const StreamKPartition& stream);

    /// The k-tiles of one tile that a block processes in an iteration, of its own tiles (`shared` is 0) or of its
    /// share (1).
    struct Segment {
        ir::Value tile;
        ir::Value first; ///< among the tile's k-tiles
        ir::Value count; ///< less than 1 if the share has none of this tile
    };
    Segment segment(const Affine& shared, const Affine& iteration) const;
    /// Rasterization as without Stream-K: rows of tiles within a group vary fastest, then columns, then groups, then
    /// matrices.
    TileCoordinates tile(ir::Value index) const;
    const Affine& block() const { return block_; }

private:
    ir::Value integer(Integer value) const;
    ir::Value divided(ir::Value index, Integer by) const;
    ir::Value less_multiple(ir::Value index, ir::Value times, Integer of) const;
    ir::Value smaller(ir::Value a, ir::Value b) const { return builder_.select(builder_.less(a, b), a, b); }
    Segment shared_segment(const Affine& iteration) const;

    ir::Builder& builder_;
    const StreamKPartition& stream_;
    Integer group_; ///< rows of tiles in a group
    Affine block_;
};

} // namespace swirl::gemm
