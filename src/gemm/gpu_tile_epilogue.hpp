#pragma once

#include "gemm/gpu_epilogue.hpp"
#include "problem/matrix_product.hpp"

namespace swirl::gemm {

/// An epilogue over sums of tile_products, of which a thread has pairs of neighbouring rows. Tiles may reach beyond C: what is there is
/// not stored, and takes numbers of arrays from C's edge, so that nothing beyond them is read.
class GpuTileEpilogue {
public:
    static constexpr int pair = 2;

    /// `block_rows`, `block_columns`: of a tile.
    GpuTileEpilogue(ir::Builder& builder, const GpuEpilogue& epilogue, const MatrixProduct& oriented,
                    int block_rows, int block_columns);

    /// int64, of a tile's first element; its row in pairs.
    struct Start {
        ir::Value matrix, row_pair, column;
    };
    /// Of a pair in the tile, its row in pairs: a form, and a value (no_value: 0).
    struct Place {
        Affine row_pair, column;
        ir::Value more_row_pairs = ir::no_value;
    };
    /// What becomes of a pair of elements.
    ir::Value finish(const Start& start, const Place& place, ir::Value elements);
    /// What a reduction takes of a pair that is finished.
    ir::Value reduced(std::size_t reduction, const Start& start, const Place& place, ir::Value elements);
    const std::vector<GpuReduction>& reductions() const { return writer_.epilogue().reductions; }

private:
    /// `f(place, elements)` of the writer's lanes, which has begun where they are.
    template <class F> ir::Value for_lanes(const Start& start, const Place& place, ir::Value elements, F&& f);
    GpuEpilogueWriter::Place begin(const Start& start, const Place& place, Integer lane);
    ir::Value integer(Integer number) const;
    ir::Value at_most(ir::Value value, Integer most) const;

    ir::Builder& builder_;
    int lanes_; ///< finished at once: a pair, or one where C's last row is half of a pair
    GpuEpilogueWriter writer_;
    Integer rows_, columns_;
    bool may_leave_rows_, may_leave_columns_; ///< of arrays
};

} // namespace swirl::gemm
