#pragma once

#include "gemm/gpu_blocks.hpp"
#include "gemm/gpu_stream.hpp"

namespace swirl::gemm {

/// Where in a stream of tiles' pieces a block is, computed in the kernel.
class GpuStreamPlaces {
public:
    GpuStreamPlaces(ir::Builder& builder, const GpuSchedule& schedule, const GpuStream& stream);

    /// Where the block is at a position.
    struct Spot {
        ir::Value tile; ///< beyond the last one where the block has no pieces left
        ir::Value piece;
        ir::Value
            first_position; ///< of those that the tile's pieces may have: of the block's own tiles, or of its share
    };
    Spot spot(ir::Value position) const;
    /// The tile, or the last one if it is beyond that.
    ir::Value existing(ir::Value tile) const;
    /// Tiles one below the other in groups of rows, then those beside them, then groups, then matrices: as blocks without a stream.
    GpuTilePlace tile(ir::Value number) const;
    const Affine& block() const { return block_; }

private:
    ir::Value integer(Integer number) const;
    ir::Value divided(ir::Value number, Integer by) const;
    ir::Value less_multiple(ir::Value number, ir::Value times, Integer of) const;

    ir::Builder& builder_;
    const GpuStream& stream_;
    Integer group_; ///< rows of tiles of a group
    Affine block_;
};

} // namespace swirl::gemm
