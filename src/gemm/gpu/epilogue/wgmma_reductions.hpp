#pragma once

#include "gemm/gpu/epilogue/reduction.hpp"
#include "gemm/gpu/epilogue/wgmma_epilogue.hpp"
#include "gemm/gpu/schedule.hpp"
#include "gemm/gpu/wgmma/layout.hpp"

#include <functional>
#include <vector>

namespace swirl::gemm {

/// Reductions over wgmma accumulators, per warpgroup. A thread's registers cover many indices of C in one direction
/// (fragment-major, a wgmma's columns) and few in the other (fragment-minor, a wgmma's rows). The schedule decides
/// which of the two are C's rows.
///
///   major  four adjacent threads hold all indices, replicated eight times in a warp: reduced by shuffles in the
///   warp, then over
///          the four warps through shared memory, after each epilogue tile
///   minor  four adjacent threads hold the same indices
///
/// Each warpgroup stores its own partials; for Over::all each warp does.
class WgmmaReductions {
public:
    /// Buffers that warpgroups share.
    struct Memory {
        ReductionPartials partials;
        ir::Buffer to = 0;
        ir::Buffer reduced = 0; ///< per thread: major indices of an epilogue tile, minor indices, or pairs
        ir::Buffer warps = 0;   ///< in shared memory; for results by major index
    };
    static std::vector<Memory> declare(ir::Builder& builder, const CanonicalWgmmaGemm& gemm,
                                       const GpuEpilogue& epilogue);
    static ReductionPartials partials_of(const CanonicalWgmmaGemm& gemm, Over over);
    static Integer shared_bytes(const CanonicalWgmmaGemm& gemm);

    /// `epilogue` provides the expressions.
    WgmmaReductions(ir::Builder& builder, const CanonicalWgmmaGemm& gemm, const std::vector<Memory>& memory,
                    WgmmaEpilogue& epilogue, int warpgroup)
        : builder_(builder),
          schedule_(gemm.schedule),
          product_(gemm.product()),
          memory_(memory),
          epilogue_(epilogue),
          warpgroup_(warpgroup),
          minor_is_rows_(gemm.has_register_a) {}

    /// A tile's location, int64: its first element as in WgmmaEpilogue, its first row, and its index along rows and
    /// columns of tiles.
    struct Tile {
        WgmmaEpilogue::Start start;
        ir::Value row = ir::no_value;
        ir::Value row_tile = ir::no_value, column_tile = ir::no_value;
    };
    /// For a thread's pair of adjacent rows: the positions of its first element among the thread's major indices
    /// (within the epilogue tile) and minor indices.
    struct FragmentIndices {
        int major;
        int in_tile;
    };
    void begin_tile() const;
    void begin_epilogue_tile() const;
    void take(const Tile& tile, const WgmmaEpilogue::Coordinates& coordinates, const FragmentIndices& indices,
              ir::Value elements) const;
    /// Two phases at the end of an epilogue tile, with a warpgroup barrier between them and one before the next tile.
    /// `first`: the epilogue tile's first major coordinate in the tile.
    void exchange() const;
    void store_partials_of_epilogue_tile(const Tile& tile, int first) const;
    /// `coordinate(k)`: coordinate in the tile of the thread's k-th minor index, a form plus a value (no_value: 0).
    struct Coordinate {
        Affine form;
        ir::Value more = ir::no_value;
    };
    void store_partials_of_tile(const Tile& tile, const std::function<Coordinate(int)>& coordinate) const;

private:
    const GpuReduction& reduction(std::size_t k) const { return epilogue_.reductions()[k]; }
    /// Whether results are by major index.
    bool keeps_major(Over over) const { return over == (minor_is_rows_ ? Over::rows : Over::columns); }
    bool keeps_minor(Over over) const { return over == (minor_is_rows_ ? Over::columns : Over::rows); }
    static int major_extent(const WgmmaGemm& schedule, bool minor_is_rows);
    static int minor_extent(const WgmmaGemm& schedule, bool minor_is_rows);
    ir::Value two(Reduce operation, ir::Value a, ir::Value b) const;
    ir::Value lane_of(ir::Value vector, int lane) const;
    ir::Value both_lanes(Reduce operation, ir::Value pair) const;
    void clear(std::size_t k) const;
    ir::Value masked(const Tile& tile, const WgmmaEpilogue::Coordinates& coordinates, const GpuReduction& of,
                     ir::Value elements) const;
    void add(std::size_t k, int at, ir::Value value) const;
    ir::Value in_warp(Reduce operation, ir::Value value, int first, int end) const;
    void store(std::size_t k, const Tile& tile, const Coordinate& coordinate, ir::Value value) const;
    ir::Value partial_index(const Tile& tile, Over over) const;
    ir::Value integer(Integer value) const;
    ir::Value sum(ir::Value a, ir::Value b) const;

    ir::Builder& builder_;
    const WgmmaGemm& schedule_;
    const MatrixProduct& product_;
    const std::vector<Memory>& memory_;
    WgmmaEpilogue& epilogue_;
    int warpgroup_;
    bool minor_is_rows_;
};

} // namespace swirl::gemm
