#include "gemm/gpu_tile_reductions.hpp"

#include "gemm/gpu_layout.hpp"
#include "target/gpu_extremes.hpp"
#include "target/gpu_warp.hpp"

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

constexpr ir::Type number = {ir::Scalar::float32, 1};
constexpr Integer warps = 4; ///< of a warpgroup
constexpr int group = 8;     ///< neighbouring long lines, of which four threads have two each
constexpr int of_group = 2;  ///< these two
constexpr int beside = 4;    ///< threads that have the same short lines
constexpr int short_lines_of_product = rows_of_product / 32; ///< that a thread has

struct Tiles {
    Integer rows, columns;
};
/// Of C, those beyond it among them that clusters have.
Tiles tiles_of(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const auto count = [](Integer extent, Integer block, Integer cluster) {
        return ceil_divide(extent, block * cluster) * cluster;
    };
    return {count(oriented.rows, schedule.block_rows, schedule.cluster_rows),
            count(oriented.columns, schedule.block_columns, schedule.cluster_columns)};
}

bool keeps_long_lines(Over over, bool short_are_rows) {
    return over == (short_are_rows ? Over::rows : Over::columns);
}

} // namespace

int GpuTileReductions::long_lines(const GpuSchedule& schedule, bool short_are_rows) {
    return short_are_rows ? columns_of_round(schedule) : schedule.staged_rows;
}
int GpuTileReductions::short_lines(const GpuSchedule& schedule, bool short_are_rows) {
    return (short_are_rows ? schedule.block_rows : schedule.block_columns) / schedule.warpgroups /
           rows_of_product * short_lines_of_product;
}

GpuResultParts GpuTileReductions::parts_of(const GpuSchedule& schedule, const MatrixProduct& oriented,
                                           Over over) {
    const Tiles tiles = tiles_of(schedule, oriented);
    const Integer results = oriented.batch * results_of_matrix(oriented, over);
    if (over == Over::all) return {results, tiles.rows * tiles.columns * schedule.warpgroups * warps};
    const Integer along = over == Over::columns ? tiles.columns : tiles.rows;
    const bool keeps_long = keeps_long_lines(over, has_fragments(schedule, oriented));
    return {results, keeps_long ? along * schedule.warpgroups : along};
}

/// Which of the product's extents are rows depends on its orientation, so room is for the larger case.
Integer GpuTileReductions::shared_bytes(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    return std::ssize(oriented.reductions) * schedule.warpgroups * warps *
           long_lines(schedule, has_fragments(schedule, oriented)) * ir::size_in_bytes(number.scalar);
}

std::vector<GpuTileReductions::Memory> GpuTileReductions::declare(ir::Builder& builder,
                                                                  const GpuSchedule& schedule,
                                                                  const MatrixProduct& oriented,
                                                                  const GpuEpilogue& epilogue) {
    const bool short_are_rows = has_fragments(schedule, oriented);
    const int lines = long_lines(schedule, short_are_rows);
    std::vector<Memory> result;
    for (const GpuReduction& reduction : epilogue.reductions) {
        Memory& memory = result.emplace_back();
        memory.parts = parts_of(schedule, oriented, reduction.over);
        memory.to = builder.add(buffer_of_result_parts(reduction, memory.parts, number.scalar));
        const bool keeps_long = keeps_long_lines(reduction.over, short_are_rows);
        const int registers = reduction.over == Over::all ? GpuTileEpilogue::pair
                              : keeps_long                ? lines / beside
                                                          : short_lines(schedule, short_are_rows);
        memory.reduced = builder.local("reduced_" + reduction.name, number.scalar, registers);
        if (keeps_long)
            memory.warps =
                builder.shared("warps_" + reduction.name, number.scalar, schedule.warpgroups * warps * lines);
    }
    return result;
}

Value GpuTileReductions::integer(Integer value) const {
    return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(value));
}

Value GpuTileReductions::sum(Value a, Value b) const {
    return a == ir::no_value ? b : b == ir::no_value ? a : builder_.add(a, b);
}

/// As reduce_two, by the one instruction that the GPU has for it.
Value GpuTileReductions::two(Reduce operation, Value a, Value b) const {
    if (operation == Reduce::sum) return builder_.add(a, b);
    const ir::Instruction& entry =
        operation == Reduce::maximum ? target::maximum_of_two() : target::minimum_of_two();
    const int lanes = builder_.type(a).lanes;
    if (lanes == 1) return builder_.instruction(entry, {a, b});
    std::vector<Value> result;
    for (int lane = 0; lane < lanes; ++lane)
        result.push_back(builder_.instruction(entry, {lane_of(a, lane), lane_of(b, lane)}));
    return join_lanes(builder_, result);
}

Value GpuTileReductions::lane_of(Value vector, int lane) const {
    return builder_.shuffle(vector, vector, {static_cast<std::int8_t>(lane)});
}

Value GpuTileReductions::both_lanes(Reduce operation, Value pair) const {
    return two(operation, lane_of(pair, 0), lane_of(pair, 1));
}

void GpuTileReductions::clear(std::size_t k) const {
    const ir::Buffer registers = memory_[k].reduced;
    const Integer count = builder_.program().buffers[static_cast<std::size_t>(registers)].elements;
    for (Integer r = 0; r < count; ++r)
        builder_.store(registers, r, neutral_of(builder_, number, reduction(k).operation));
}

void GpuTileReductions::begin_tile() const {
    for (std::size_t k = 0; k < memory_.size(); ++k)
        if (!keeps_long(reduction(k).over)) clear(k);
}

void GpuTileReductions::begin_round() const {
    for (std::size_t k = 0; k < memory_.size(); ++k)
        if (keeps_long(reduction(k).over)) clear(k);
}

/// Neutral where they are beyond C along what is reduced.
Value GpuTileReductions::inside(const Tile& tile, const GpuTileEpilogue::Place& place, const GpuReduction& of,
                                Value elements) const {
    const Value neutral = neutral_of(builder_, number, of.operation);
    const bool leaves_rows = product_.rows % (Integer{schedule_.block_rows} * schedule_.cluster_rows) != 0;
    const bool leaves_columns =
        product_.columns % (Integer{schedule_.block_columns} * schedule_.cluster_columns) != 0;
    const bool masks_rows = of.over != Over::columns && leaves_rows;
    const bool masks_columns = of.over != Over::rows && leaves_columns;
    if (!masks_rows && !masks_columns) return elements;
    std::vector<Value> lanes;
    for (Integer lane = 0; lane < GpuTileEpilogue::pair; ++lane) {
        Value element = lane_of(elements, static_cast<int>(lane));
        const auto keep_below = [&](Value place_value, Integer extent) {
            element = builder_.select(builder_.less(place_value, integer(extent)), element, neutral);
        };
        if (masks_rows) {
            const Value pair =
                sum(builder_.add(tile.start.row_pair, builder_.index(place.row_pair)), place.more_row_pairs);
            // Row 2p + lane is below the rows where p is below half of the rows less the lane, rounded up.
            keep_below(pair, ceil_divide(product_.rows - lane, GpuTileEpilogue::pair));
        }
        if (masks_columns)
            keep_below(builder_.add(tile.start.column, builder_.index(place.column)), product_.columns);
        lanes.push_back(element);
    }
    return join_lanes(builder_, lanes);
}

void GpuTileReductions::add(std::size_t k, int at, Value value) const {
    const ir::Access access{.lanes = builder_.type(value).lanes};
    const Value before = builder_.load(memory_[k].reduced, at, access);
    builder_.store(memory_[k].reduced, at, two(reduction(k).operation, before, value), access);
}

void GpuTileReductions::take(const Tile& tile, const GpuTileEpilogue::Place& place, const Lines& lines,
                             Value elements) const {
    const int row = short_are_rows_ ? lines.in_tile : lines.in_round;
    const int column = short_are_rows_ ? lines.in_round : lines.in_tile;
    for (std::size_t k = 0; k < memory_.size(); ++k) {
        const GpuReduction& of = reduction(k);
        const Value value = inside(tile, place, of, epilogue_.reduced(k, tile.start, place, elements));
        switch (of.over) {
        case Over::columns: add(k, row, value); break;
        case Over::rows: add(k, column, both_lanes(of.operation, value)); break;
        case Over::all: add(k, 0, value); break;
        }
    }
}

/// Of threads whose numbers differ in bits from `first` to below `end`: all of them get it.
Value GpuTileReductions::in_warp(Reduce operation, Value value, int first, int end) const {
    for (int distance = first; distance < end; distance *= 2)
        value = two(operation, value, builder_.instruction(target::warp_exchange(distance), {value}));
    return value;
}

void GpuTileReductions::exchange() const {
    const Integer lines = long_lines(schedule_, short_are_rows_);
    const Affine quarter = builder_.thread(0, 1, beside), line = builder_.thread(0, beside, group);
    const Affine warp = builder_.thread(0, target::warp_threads, warps) + warpgroup_ * warps;
    for (std::size_t k = 0; k < memory_.size(); ++k) {
        if (!keeps_long(reduction(k).over)) continue;
        std::vector<Value> totals;
        for (int r = 0; r < lines / beside; ++r)
            totals.push_back(in_warp(reduction(k).operation, builder_.load(memory_[k].reduced, r), beside,
                                     target::warp_threads));
        builder_.if_then({{line, Relation::zero}}, [&] {
            for (int r = 0; r < lines / beside; ++r)
                builder_.store(memory_[k].warps,
                               warp * lines + (r / of_group * group + r % of_group) + of_group * quarter,
                               totals[static_cast<std::size_t>(r)]);
        });
    }
}

Value GpuTileReductions::part_of(const Tile& tile, Over over) const {
    const Integer warpgroups = schedule_.warpgroups;
    if (over == Over::all) {
        const Value tiles = builder_.multiply(
            tile.row_tile, integer(tiles_of(schedule_, product_).columns * warpgroups * warps));
        return builder_.add(tiles, builder_.multiply(tile.column_tile, integer(warpgroups * warps)));
    }
    const Value along = over == Over::columns ? tile.column_tile : tile.row_tile;
    if (!keeps_long(over)) return along;
    return builder_.add(builder_.multiply(along, integer(warpgroups)), integer(warpgroup_));
}

void GpuTileReductions::store(std::size_t k, const Tile& tile, const Line& line, Value value) const {
    const Over over = reduction(k).over;
    const GpuResultParts& parts = memory_[k].parts;
    const Value first = over == Over::columns ? tile.row
                        : over == Over::rows  ? tile.start.column
                                              : ir::no_value;
    const Integer extent = over == Over::columns ? product_.rows : over == Over::rows ? product_.columns : 1;
    const Value in_matrix = sum(first, line.more);
    const Value of_matrix = builder_.multiply(tile.start.matrix, integer(extent));
    Value place = sum(of_matrix, in_matrix);
    Affine form = line.form;
    if (!parts.are_results())
        place = builder_.add(place, builder_.multiply(part_of(tile, over), integer(parts.results)));
    if (over == Over::all) { // the line is the warp's number: one part further each
        builder_.store(memory_[k].to, form * parts.results, value, {.dynamic = place});
        return;
    }
    builder_.if_then({{form - extent, Relation::negative, in_matrix}},
                     [&] { builder_.store(memory_[k].to, form, value, {.dynamic = place}); });
}

void GpuTileReductions::leave_round(const Tile& tile, int first) const {
    const Integer lines = long_lines(schedule_, short_are_rows_);
    const Affine thread = builder_.thread(0, 1, warpgroup_threads);
    for (std::size_t k = 0; k < memory_.size(); ++k) {
        if (!keeps_long(reduction(k).over)) continue;
        for (Integer base = 0; base < lines; base += warpgroup_threads)
            builder_.if_then({{thread + (base - lines), Relation::negative}}, [&] {
                Value total = ir::no_value;
                for (Integer warp = 0; warp < warps; ++warp) {
                    const Value one = builder_.load(memory_[k].warps,
                                                    thread + (base + (warpgroup_ * warps + warp) * lines));
                    total = warp == 0 ? one : two(reduction(k).operation, total, one);
                }
                store(k, tile, {thread + (base + first), ir::no_value}, total);
            });
    }
}

void GpuTileReductions::leave_tile(const Tile& tile, const std::function<Line(int)>& line) const {
    for (std::size_t k = 0; k < memory_.size(); ++k) {
        const GpuReduction& of = reduction(k);
        if (of.over == Over::all) {
            const Value pair = builder_.load(memory_[k].reduced, 0, {.lanes = GpuTileEpilogue::pair});
            const Value total =
                in_warp(of.operation, both_lanes(of.operation, pair), 1, target::warp_threads);
            const Affine warp = builder_.thread(0, target::warp_threads, warps) + warpgroup_ * warps;
            builder_.if_then({{builder_.thread(0, 1, target::warp_threads), Relation::zero}}, [&] {
                store(k, tile, {warp, ir::no_value}, total);
            });
        } else if (keeps_short(of.over)) {
            std::vector<Value> totals;
            for (int s = 0; s < short_lines(schedule_, short_are_rows_); ++s)
                totals.push_back(in_warp(of.operation, builder_.load(memory_[k].reduced, s), 1, beside));
            builder_.if_then({{builder_.thread(0, 1, beside), Relation::zero}}, [&] {
                for (std::size_t s = 0; s < totals.size(); ++s)
                    store(k, tile, line(static_cast<int>(s)), totals[s]);
            });
        }
    }
}

} // namespace swirl::gemm
