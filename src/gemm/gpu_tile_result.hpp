#pragma once

#include "gemm/gpu_schedule.hpp"
#include "gemm/gpu_tile_epilogue.hpp"
#include "gemm/gpu_tile_layout.hpp"
#include "gemm/gpu_tile_order.hpp"
#include "gemm/gpu_tile_reductions.hpp"
#include "gemm/gpu_tile_stages.hpp"
#include "ir/builder.hpp"

#include <optional>
#include <vector>

namespace swirl::gemm {

/// What a kernel's warpgroups share on a tile's way from their sums to C.
struct GpuTileResult {
    ir::Buffer sums = 0;    ///< of a thread: of each 64 columns all registers of a tile_product
    ir::Buffer staged = 0;  ///< shared: each warpgroup's columns, one part after the other
    ir::Buffer signals = 0; ///< one for each warpgroup, of C's way in
    ir::Buffer factors = 0; ///< α, β
    ir::Tensor c = 0;
    std::optional<ir::Tensor> stored = {}; ///< C as tile_stores see it (tensor_of_stores)
    ir::Buffer c_memory = 0;
    Affine reads_c; ///< 1 where C is read, else 0
    bool has_matrix = false;
    GpuTileEpilogue* epilogue = nullptr; ///< null: nothing is done, nor reduced
    std::vector<GpuTileReductions::Memory> reductions = {};
};

/// Where a tile begins, int64: the row also in pairs, where there is an epilogue or something is reduced.
struct GpuTileStart {
    ir::Value row = ir::no_value, column = ir::no_value, matrix = ir::no_value, row_pair = ir::no_value;
    /// How many tiles are before it, where something is reduced.
    ir::Value row_tile = ir::no_value, column_tile = ir::no_value;
};

/// C = α·sums + β·C, and its epilogue, for the columns of a tile that a warpgroup has, which alone executes it. Sums are brought to shared memory, some
/// rows at once, from where the copy engine takes them; it leaves out what is beyond C, and threads store rows_beyond_chunks.
class GpuTileUpdate {
public:
    /// `stages`: where the warpgroup is with its signal.
    GpuTileUpdate(ir::Builder& builder, const GpuSchedule& schedule, const MatrixProduct& oriented,
                  const GpuTileResult& result, const GpuTileStages& stages, int warpgroup)
        : builder_(builder),
          schedule_(schedule),
          product_(oriented),
          result_(result),
          stages_(stages),
          warpgroup_(warpgroup),
          has_fragments_(has_fragments(schedule, oriented)) {
        if (!result.reductions.empty())
            reductions_.emplace(builder, schedule, oriented, result.reductions, *result.epilogue, warpgroup);
    }

    void write(const GpuTileStart& tile) const;
    /// Before the warpgroup ends: shared memory is in use until then.
    void finish() const;

private:
    struct Round {
        int first_row;    ///< of staged_rows, of the warpgroup's columns
        int first_column; ///< or of columns_of_round, of the rows that it has by fragments
        GpuTileStart tile;
    };
    void write_round(const Round& round) const;
    template <class Body> void transfer(const Round& round, Body&& body) const;
    Integer rows_of_round() const { ///< of the warpgroup's
        return has_fragments_ ? schedule_.block_rows / schedule_.warpgroups : schedule_.staged_rows;
    }
    Integer columns_of_box() const { return has_fragments_ ? columns_of_round(schedule_) : columns(); }
    Integer first_row(const Round& round) const { ///< in the tile
        return has_fragments_ ? warpgroup_ * rows_of_round() : round.first_row;
    }
    Integer first_column(const Round& round) const {
        return has_fragments_ ? round.first_column : Integer{warpgroup_} * columns();
    }
    void read_c(const Round& round) const;
    void store_rows_beyond_chunks(const Round& round) const;
    void stage(const Round& round, bool reads) const;
    void stage_sums(const Round& round, bool reads) const;
    void stage_sums_by_rows(const Round& round, bool reads) const; ///< of tile_products whose rows are C's
    /// A pair in the tile, and which of the thread's lines has it.
    struct Pair {
        GpuTileEpilogue::Place place;
        GpuTileReductions::Lines lines;
    };
    /// α·sum + β·old (no_value: without it), finished, reduced and as it is stored.
    ir::Value result_of(const Round& round, const Pair& pair, ir::Value alpha, ir::Value sum, ir::Value beta,
                        ir::Value old) const;
    static GpuTileReductions::Tile reduced_tile(const GpuTileStart& tile);
    /// The thread's k-th line among those that tile_products have as their rows.
    GpuTileReductions::Line short_line(int k) const;
    GpuTileReductions::Line row_line(int k) const; ///< by fragments
    Affine column_of(int part, int lower) const;
    void wait_for_stores() const;
    template <class Body> void in_one_thread(Body&& body) const;

    int columns() const { return schedule_.block_columns / schedule_.warpgroups; }
    Integer row() const; ///< elements of a row of shared memory
    Integer panel() const { return columns_of_box() * row(); }
    /// Of a warpgroup, in a round.
    Integer staged_elements() const {
        return Integer{schedule_.staged_rows} * schedule_.block_columns / schedule_.warpgroups;
    }
    Integer first_staged() const { return warpgroup_ * staged_elements(); }

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const MatrixProduct& product_;
    const GpuTileResult& result_;
    const GpuTileStages& stages_;
    int warpgroup_;
    bool has_fragments_;
    std::optional<GpuTileReductions> reductions_;
};

} // namespace swirl::gemm
