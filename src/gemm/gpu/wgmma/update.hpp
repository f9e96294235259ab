#pragma once

#include "gemm/gpu/epilogue/wgmma_epilogue.hpp"
#include "gemm/gpu/epilogue/wgmma_reductions.hpp"
#include "gemm/gpu/pipeline_state.hpp"
#include "gemm/gpu/schedule.hpp"
#include "gemm/gpu/scheduler/rasterization.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "ir/builder.hpp"

#include <optional>
#include <span>
#include <vector>

namespace swirl::gemm {

/// State that a kernel's warpgroups share to write accumulators to C.
struct WgmmaOutput {
    ir::Buffer accumulators = 0;  ///< per thread: all registers of a wgmma for each 64 columns
    ir::Buffer epilogue_smem = 0; ///< shared: the columns of warpgroup after warpgroup
    ir::Buffer mbarriers = 0;     ///< one per warpgroup, for loads of C
    ir::Buffer alpha_beta = 0;    ///< α, β
    ir::Tensor c = 0;
    std::optional<ir::Tensor> store_tensor = {}; ///< C as TMA stores see it (tensor_map_of_stores)
    ir::Buffer c_memory = 0;
    Affine reads_c; ///< 1 if C is read, else 0
    bool has_matrix = false;
    WgmmaEpilogue* epilogue = nullptr; ///< null: neither epilogue nor reductions
    std::vector<WgmmaReductions::Memory> reductions = {};
};

/// A tile's origin, int64; the row also in pairs, for an epilogue or reductions.
struct TileOrigin {
    ir::Value row = ir::no_value, column = ir::no_value, matrix = ir::no_value, row_pair = ir::no_value;
    /// Index along rows and columns of tiles, for reductions.
    ir::Value row_tile = ir::no_value, column_tile = ir::no_value;
};

/// C = α·accumulators + β·C with its epilogue, for a warpgroup's columns of a tile; executed by that warpgroup alone.
/// Accumulators go to shared memory, an epilogue tile at a time, and from there by TMA; it omits elements beyond C,
/// and threads store the residual rows. While TMA stores the columns of one wgmma, threads write those of the next.
class WgmmaUpdate {
public:
    /// `stages`: the warpgroup's position with its mbarrier.
    WgmmaUpdate(ir::Builder& builder, const CanonicalWgmmaGemm& gemm, const WgmmaOutput& result,
                const PipelineState& stages, int warpgroup)
        : builder_(builder),
          schedule_(gemm.schedule),
          product_(gemm.product()),
          result_(result),
          stages_(stages),
          warpgroup_(warpgroup),
          has_register_a_(gemm.has_register_a) {
        if (!result.reductions.empty())
            reductions_.emplace(builder, gemm, result.reductions, *result.epilogue, warpgroup);
    }

    void write(const TileOrigin& tile) const;
    /// Before the warpgroup exits: TMA stores read shared memory until then.
    void finish() const;

private:
    struct EpilogueTile {
        int first_row;    ///< of epilogue_tile_m, within the warpgroup's columns
        int first_column; ///< or of epilogue_tile_n, within its rows, with A in registers
        TileOrigin tile;
    };
    /// What TMA moves at once: a row of shared memory for each of some columns.
    struct Box {
        Integer row, column; ///< of the first element, in the warpgroup's part of the epilogue tile
    };
    /// Those of an epilogue tile, columns after columns.
    std::vector<Box> boxes() const;
    void write_epilogue_tile(const EpilogueTile& epilogue_tile) const;
    void write_whole(const EpilogueTile& epilogue_tile) const;
    void write_by_columns(const EpilogueTile& epilogue_tile) const;
    template <class Body> void transfer(const EpilogueTile& epilogue_tile, const Box& box, Body&& body) const;
    void store(const EpilogueTile& epilogue_tile, std::span<const Box> stored) const;
    Integer rows_of_epilogue_tile() const { ///< of the warpgroup
        return has_register_a_ ? schedule_.cta_tile.m / schedule_.warpgroups : schedule_.epilogue_tile_m;
    }
    Integer columns_of_epilogue_tile() const {
        return has_register_a_ ? epilogue_tile_n(schedule_) : columns();
    }
    Integer first_row(const EpilogueTile& epilogue_tile) const { ///< in the tile
        return has_register_a_ ? warpgroup_ * rows_of_epilogue_tile() : epilogue_tile.first_row;
    }
    Integer first_column(const EpilogueTile& epilogue_tile) const {
        return has_register_a_ ? epilogue_tile.first_column : Integer{warpgroup_} * columns();
    }
    void read_c(const EpilogueTile& epilogue_tile) const;
    void store_residual_rows(const EpilogueTile& epilogue_tile) const;
    void stage(const EpilogueTile& epilogue_tile, std::span<const Box> staged, bool reads) const;
    void store_accumulators_to_smem(const EpilogueTile& epilogue_tile, const Box& box, bool reads) const;
    void store_accumulators_by_rows(const EpilogueTile& epilogue_tile,
                                    bool reads) const; ///< for wgmmas whose rows are C's
    /// A pair in the tile, and the thread's indices of it.
    struct Pair {
        WgmmaEpilogue::Coordinates coordinates;
        WgmmaReductions::FragmentIndices indices;
    };
    /// α·sum + β·old (no_value: no β term), finished, reduced and converted for the store.
    ir::Value result_of(const EpilogueTile& epilogue_tile, const Pair& pair, ir::Value alpha, ir::Value sum,
                        ir::Value beta, ir::Value old) const;
    static WgmmaReductions::Tile reduced_tile(const TileOrigin& tile);
    /// Coordinate of the thread's k-th fragment-minor index.
    WgmmaReductions::Coordinate minor_coordinate(int k) const;
    WgmmaReductions::Coordinate row_coordinate(int k) const; ///< with A in registers
    Affine column_of(int wgmma, int lower) const;
    /// Until all but the last `pending` groups of stores have read shared memory.
    void wait_for_stores(int pending = 0) const;
    template <class Body> void in_one_thread(Body&& body) const;

    int columns() const { return schedule_.cta_tile.n / schedule_.warpgroups; }
    Integer row() const; ///< elements of a row of shared memory
    Affine exchange_of_column(int threads_of_column) const;
    Integer panel() const { return columns_of_epilogue_tile() * row(); }
    /// Elements of an epilogue tile, per warpgroup.
    Integer epilogue_tile_elements() const {
        return Integer{schedule_.epilogue_tile_m} * schedule_.cta_tile.n / schedule_.warpgroups;
    }
    Integer first_of_epilogue_tile() const { return warpgroup_ * epilogue_tile_elements(); }

    ir::Builder& builder_;
    const WgmmaGemm& schedule_;
    const MatrixProduct& product_;
    const WgmmaOutput& result_;
    const PipelineState& stages_;
    int warpgroup_;
    bool has_register_a_;
    std::optional<WgmmaReductions> reductions_;
};

} // namespace swirl::gemm
