#pragma once

#include "gemm/gpu/epilogue/epilogue.hpp"
#include "problem/matrix_product.hpp"

namespace swirl::gemm {

/// An epilogue over wgmma accumulators; a thread holds pairs of adjacent rows. Tiles may extend beyond C: elements
/// there are not stored, and they read arrays at C's edge so that no access is out of bounds.
class WgmmaEpilogue {
public:
    static constexpr int pair = 2;

    /// `cta_m`, `cta_n`: the tile's extents.
    WgmmaEpilogue(ir::Builder& builder, const GpuEpilogue& epilogue, const MatrixProduct& canonical,
                  int cta_m, int cta_n);

    /// Coordinates of a tile's first element, int64; its row in pairs.
    struct Start {
        ir::Value matrix, row_pair, column;
    };
    /// A pair within the tile, its row in pairs: a form plus a value (no_value: 0).
    struct Coordinates {
        Affine row_pair, column;
        ir::Value more_row_pairs = ir::no_value;
    };
    /// Finishes a pair of elements.
    ir::Value finish(const Start& start, const Coordinates& coordinates, ir::Value elements);
    /// The input of a reduction for a finished pair.
    ir::Value reduced(std::size_t reduction, const Start& start, const Coordinates& coordinates,
                      ir::Value elements);
    const std::vector<GpuReduction>& reductions() const { return writer_.epilogue().reductions; }

private:
    /// `f(coordinates, elements)` for the writer's lanes, with the writer started there.
    template <class F>
    ir::Value for_lanes(const Start& start, const Coordinates& coordinates, ir::Value elements, F&& f);
    GpuEpilogueWriter::Coordinates begin(const Start& start, const Coordinates& coordinates, Integer lane);
    ir::Value integer(Integer value) const;
    ir::Value at_most(ir::Value value, Integer most) const;

    ir::Builder& builder_;
    int lanes_; ///< finished at once: a pair, or one if C's rows are odd
    GpuEpilogueWriter writer_;
    Integer rows_, columns_;
    bool may_leave_rows_, may_leave_columns_; ///< array accesses may be out of bounds
};

} // namespace swirl::gemm
