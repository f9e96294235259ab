#pragma once

#include "gemm/gpu_blocks.hpp"
#include "gemm/gpu_stream.hpp"

namespace swirl::gemm {

/// Where in a stream of tiles' pieces a block is, computed in the kernel.
class GpuStreamPlaces {
public:
    GpuStreamPlaces(ir::Builder& builder, const GpuSchedule& schedule, const GpuStream& stream);

    /// The pieces of a tile that a block has at a turn, of those of its own tiles (`shared` is 0) or of its share (1).
    struct Segment {
        ir::Value tile;
        ir::Value first; ///< of the tile's pieces
        ir::Value count; ///< less than 1 where the share has none of this tile
    };
    Segment segment(const Affine& shared, const Affine& turn) const;
    /// Tiles one below the other in groups of rows, then those beside them, then groups, then matrices: as blocks without a stream.
    GpuTilePlace tile(ir::Value number) const;
    const Affine& block() const { return block_; }

private:
    ir::Value integer(Integer number) const;
    ir::Value divided(ir::Value number, Integer by) const;
    ir::Value less_multiple(ir::Value number, ir::Value times, Integer of) const;
    ir::Value smaller(ir::Value a, ir::Value b) const { return builder_.select(builder_.less(a, b), a, b); }
    Segment shared_segment(const Affine& turn) const;

    ir::Builder& builder_;
    const GpuStream& stream_;
    Integer group_; ///< rows of tiles of a group
    Affine block_;
};

} // namespace swirl::gemm
