#pragma once

#include "gemm/gpu_reduction.hpp"
#include "gemm/gpu_schedule.hpp"
#include "gemm/gpu_tile_epilogue.hpp"
#include "gemm/gpu_tile_layout.hpp"

#include <functional>
#include <vector>

namespace swirl::gemm {

/// Reductions over sums of tile_products, by one warpgroup. A thread has many lines of C along which its registers go, called long here, and few of the
/// others, called short: those that a tile_product has as its rows. Which of the two are C's rows is the schedule's.
///
///     long     four neighbouring threads have all of them, eight times a warp: these are brought together by exchanges in the warp, those
///              of the four warps by shared memory, after each round
///     short    four neighbouring threads have the same ones
///
/// Each warpgroup leaves parts of its own; of all of C each warp does.
class GpuTileReductions {
public:
    /// What warpgroups share: buffers.
    struct Memory {
        GpuResultParts parts;
        ir::Buffer to = 0;
        ir::Buffer reduced = 0; ///< a thread's: of long lines in a round, of short ones, or of pairs
        ir::Buffer warps = 0;   ///< shared; of reductions over short lines, which leave long ones
    };
    static std::vector<Memory> declare(ir::Builder& builder, const GpuSchedule& schedule,
                                       const MatrixProduct& oriented, const GpuEpilogue& epilogue);
    static GpuResultParts parts_of(const GpuSchedule& schedule, const MatrixProduct& oriented, Over over);
    static Integer shared_bytes(const GpuSchedule& schedule, const MatrixProduct& oriented);

    /// `epilogue` has the expressions.
    GpuTileReductions(ir::Builder& builder, const GpuSchedule& schedule, const MatrixProduct& oriented,
                      const std::vector<Memory>& memory, GpuTileEpilogue& epilogue, int warpgroup)
        : builder_(builder),
          schedule_(schedule),
          product_(oriented),
          memory_(memory),
          epilogue_(epilogue),
          warpgroup_(warpgroup),
          short_are_rows_(has_fragments(schedule, oriented)) {}

    /// Where a tile is, int64: its first element as GpuTileEpilogue has it, its first row, and how many tiles are before it along rows and columns.
    struct Tile {
        GpuTileEpilogue::Start start;
        ir::Value row = ir::no_value;
        ir::Value row_tile = ir::no_value, column_tile = ir::no_value;
    };
    /// Of a pair of neighbouring rows of a thread: the numbers of their long and short lines among the thread's (of the pair's first element), long ones
    /// in the round.
    struct Lines {
        int in_round;
        int in_tile;
    };
    void begin_tile() const;
    void begin_round() const;
    void take(const Tile& tile, const GpuTileEpilogue::Place& place, const Lines& lines,
              ir::Value elements) const;
    /// Two parts of a round's end, with a meeting of the warpgroup between them, and one before the next round. `first`: the round's first long
    /// line in the tile.
    void exchange() const;
    void leave_round(const Tile& tile, int first) const;
    /// `line(k)`: the place in the tile of the thread's k-th short line, a form and a value (no_value: 0).
    struct Line {
        Affine form;
        ir::Value more = ir::no_value;
    };
    void leave_tile(const Tile& tile, const std::function<Line(int)>& line) const;

private:
    const GpuReduction& reduction(std::size_t k) const { return epilogue_.reductions()[k]; }
    /// Whether numbers are kept for long lines.
    bool keeps_long(Over over) const { return over == (short_are_rows_ ? Over::rows : Over::columns); }
    bool keeps_short(Over over) const { return over == (short_are_rows_ ? Over::columns : Over::rows); }
    static int long_lines(const GpuSchedule& schedule, bool short_are_rows);
    static int short_lines(const GpuSchedule& schedule, bool short_are_rows);
    ir::Value two(Reduce operation, ir::Value a, ir::Value b) const;
    ir::Value lane_of(ir::Value vector, int lane) const;
    ir::Value both_lanes(Reduce operation, ir::Value pair) const;
    void clear(std::size_t k) const;
    ir::Value inside(const Tile& tile, const GpuTileEpilogue::Place& place, const GpuReduction& of,
                     ir::Value elements) const;
    void add(std::size_t k, int at, ir::Value value) const;
    ir::Value in_warp(Reduce operation, ir::Value value, int first, int end) const;
    void store(std::size_t k, const Tile& tile, const Line& line, ir::Value value) const;
    ir::Value part_of(const Tile& tile, Over over) const;
    ir::Value integer(Integer number) const;
    ir::Value sum(ir::Value a, ir::Value b) const;

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const MatrixProduct& product_;
    const std::vector<Memory>& memory_;
    GpuTileEpilogue& epilogue_;
    int warpgroup_;
    bool short_are_rows_;
};

} // namespace swirl::gemm
