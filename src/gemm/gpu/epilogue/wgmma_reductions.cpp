#include "gemm/gpu/epilogue/wgmma_reductions.hpp"

#include "gemm/gpu/simt/layout.hpp"
#include "target/nvidia/min_max.hpp"
#include "target/nvidia/warp.hpp"

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

constexpr ir::Type type = {DataType::float32, 1};
constexpr Integer warps = 4;            ///< per warpgroup
constexpr int minor_group = 8;          ///< adjacent major indices, two per thread of a quad
constexpr int of_cooperative_group = 2; ///< indices of a group per thread
constexpr int threads_per_minor = 4;    ///< threads with the same minor indices
constexpr int minor_extent_of_wgmma = rows_of_wgmma / 32; ///< per thread

struct Tiles {
    Integer rows, columns;
};
/// Tiles over C, including those beyond it that complete clusters.
Tiles tiles_of(const WgmmaGemm& schedule, const MatrixProduct& canonical) {
    const auto count = [](Integer extent, Integer block, Integer cluster) {
        return ceil_divide(extent, block * cluster) * cluster;
    };
    return {count(canonical.rows, schedule.cta_tile.m, schedule.cluster.m),
            count(canonical.columns, schedule.cta_tile.n, schedule.cluster.n)};
}

bool keeps_major_partials(Over over, bool minor_is_rows) {
    return over == (minor_is_rows ? Over::rows : Over::columns);
}

} // namespace

int WgmmaReductions::major_extent(const WgmmaGemm& schedule, bool minor_is_rows) {
    return minor_is_rows ? epilogue_tile_n(schedule) : schedule.epilogue_tile_m;
}
int WgmmaReductions::minor_extent(const WgmmaGemm& schedule, bool minor_is_rows) {
    return (minor_is_rows ? schedule.cta_tile.m : schedule.cta_tile.n) / schedule.warpgroups / rows_of_wgmma *
           minor_extent_of_wgmma;
}

ReductionPartials WgmmaReductions::partials_of(const CanonicalWgmmaGemm& gemm, Over over) {
    const WgmmaGemm& schedule = gemm.schedule;
    const Tiles tiles = tiles_of(schedule, gemm.product());
    const Integer results = gemm.product().batch * results_of_matrix(gemm.product(), over);
    if (over == Over::all) return {results, tiles.rows * tiles.columns * schedule.warpgroups * warps};
    const Integer along = over == Over::columns ? tiles.columns : tiles.rows;
    const bool keeps_major = keeps_major_partials(over, gemm.has_register_a);
    return {results, keeps_major ? along * schedule.warpgroups : along};
}

/// Which of the problem's extents are rows depends on the swap, so the larger case is reserved.
Integer WgmmaReductions::shared_bytes(const CanonicalWgmmaGemm& gemm) {
    return std::ssize(gemm.product().reductions) * gemm.schedule.warpgroups * warps *
           major_extent(gemm.schedule, gemm.has_register_a) * bytes_of(type.scalar);
}

std::vector<WgmmaReductions::Memory> WgmmaReductions::declare(ir::Builder& builder,
                                                              const CanonicalWgmmaGemm& gemm,
                                                              const GpuEpilogue& epilogue) {
    const WgmmaGemm& schedule = gemm.schedule;
    const bool minor_is_rows = gemm.has_register_a;
    const int indices = major_extent(schedule, minor_is_rows);
    std::vector<Memory> result;
    for (const GpuReduction& reduction : epilogue.reductions) {
        Memory& memory = result.emplace_back();
        memory.partials = partials_of(gemm, reduction.over);
        memory.to = builder.add(buffer_of_reduction_partials(reduction, memory.partials, type.scalar));
        const bool keeps_major = keeps_major_partials(reduction.over, minor_is_rows);
        const int registers = reduction.over == Over::all ? WgmmaEpilogue::pair
                              : keeps_major               ? indices / threads_per_minor
                                                          : minor_extent(schedule, minor_is_rows);
        memory.reduced = builder.local("reduced_" + reduction.name, type.scalar, registers);
        if (keeps_major)
            memory.warps = builder.shared("reduced_by_warps_" + reduction.name, type.scalar,
                                          schedule.warpgroups * warps * indices);
    }
    return result;
}

Value WgmmaReductions::integer(Integer value) const {
    return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
}

Value WgmmaReductions::sum(Value a, Value b) const {
    return a == ir::no_value ? b : b == ir::no_value ? a : builder_.add(a, b);
}

/// As reduce_two, by the GPU's single instruction for it.
Value WgmmaReductions::two(Reduce operation, Value a, Value b) const {
    if (operation == Reduce::sum) return builder_.add(a, b);
    const ir::Instruction& entry =
        operation == Reduce::maximum ? target::float32_maximum() : target::float32_minimum();
    const int lanes = builder_.type(a).lanes;
    if (lanes == 1) return builder_.instruction(entry, {a, b});
    std::vector<Value> result;
    for (int lane = 0; lane < lanes; ++lane)
        result.push_back(builder_.instruction(entry, {lane_of(a, lane), lane_of(b, lane)}));
    return join_lanes(builder_, result);
}

Value WgmmaReductions::lane_of(Value vector, int lane) const {
    return builder_.shuffle(vector, vector, {static_cast<std::int8_t>(lane)});
}

Value WgmmaReductions::both_lanes(Reduce operation, Value pair) const {
    return two(operation, lane_of(pair, 0), lane_of(pair, 1));
}

void WgmmaReductions::clear(std::size_t k) const {
    const ir::Buffer registers = memory_[k].reduced;
    const Integer count = builder_.program().buffers[static_cast<std::size_t>(registers)].elements;
    for (Integer r = 0; r < count; ++r)
        builder_.store(registers, r, identity_of(builder_, type, reduction(k).operation));
}

void WgmmaReductions::begin_tile() const {
    for (std::size_t k = 0; k < memory_.size(); ++k)
        if (!keeps_major(reduction(k).over)) clear(k);
}

void WgmmaReductions::begin_epilogue_tile() const {
    for (std::size_t k = 0; k < memory_.size(); ++k)
        if (keeps_major(reduction(k).over)) clear(k);
}

/// Replaces elements beyond C along the reduced extent by the neutral element.
Value WgmmaReductions::masked(const Tile& tile, const WgmmaEpilogue::Coordinates& coordinates,
                              const GpuReduction& of, Value elements) const {
    const Value neutral = identity_of(builder_, type, of.operation);
    const bool leaves_rows = product_.rows % (Integer{schedule_.cta_tile.m} * schedule_.cluster.m) != 0;
    const bool leaves_columns = product_.columns % (Integer{schedule_.cta_tile.n} * schedule_.cluster.n) != 0;
    const bool masks_rows = of.over != Over::columns && leaves_rows;
    const bool masks_columns = of.over != Over::rows && leaves_columns;
    if (!masks_rows && !masks_columns) return elements;
    std::vector<Value> lanes;
    for (Integer lane = 0; lane < WgmmaEpilogue::pair; ++lane) {
        Value element = lane_of(elements, static_cast<int>(lane));
        const auto keep_below = [&](Value coordinate_value, Integer extent) {
            element = builder_.select(builder_.less(coordinate_value, integer(extent)), element, neutral);
        };
        if (masks_rows) {
            const Value pair = sum(builder_.add(tile.start.row_pair, builder_.index(coordinates.row_pair)),
                                   coordinates.more_row_pairs);
            // Row 2p + lane is valid if p is below half of the rows less the lane, rounded up.
            keep_below(pair, ceil_divide(product_.rows - lane, WgmmaEpilogue::pair));
        }
        if (masks_columns)
            keep_below(builder_.add(tile.start.column, builder_.index(coordinates.column)), product_.columns);
        lanes.push_back(element);
    }
    return join_lanes(builder_, lanes);
}

void WgmmaReductions::add(std::size_t k, int at, Value value) const {
    const ir::Access access{.lanes = builder_.type(value).lanes};
    const Value before = builder_.load(memory_[k].reduced, at, access);
    builder_.store(memory_[k].reduced, at, two(reduction(k).operation, before, value), access);
}

void WgmmaReductions::take(const Tile& tile, const WgmmaEpilogue::Coordinates& coordinates,
                           const FragmentIndices& indices, Value elements) const {
    const int row = minor_is_rows_ ? indices.in_tile : indices.major;
    const int column = minor_is_rows_ ? indices.major : indices.in_tile;
    for (std::size_t k = 0; k < memory_.size(); ++k) {
        const GpuReduction& of = reduction(k);
        const Value value =
            masked(tile, coordinates, of, epilogue_.reduced(k, tile.start, coordinates, elements));
        switch (of.over) {
        case Over::columns: add(k, row, value); break;
        case Over::rows: add(k, column, both_lanes(of.operation, value)); break;
        case Over::all: add(k, 0, value); break;
        }
    }
}

/// Over threads whose indices differ in the bits from `first` to below `end`; all of them get the result.
Value WgmmaReductions::in_warp(Reduce operation, Value value, int first, int end) const {
    for (int distance = first; distance < end; distance *= 2)
        value = two(operation, value, builder_.instruction(target::warp_exchange(distance), {value}));
    return value;
}

void WgmmaReductions::exchange() const {
    const Integer indices = major_extent(schedule_, minor_is_rows_);
    const Affine quarter = builder_.thread(0, 1, threads_per_minor),
                 coordinate = builder_.thread(0, threads_per_minor, minor_group);
    const Affine warp = builder_.thread(0, target::warp_threads, warps) + warpgroup_ * warps;
    for (std::size_t k = 0; k < memory_.size(); ++k) {
        if (!keeps_major(reduction(k).over)) continue;
        std::vector<Value> totals;
        for (int r = 0; r < indices / threads_per_minor; ++r)
            totals.push_back(in_warp(reduction(k).operation, builder_.load(memory_[k].reduced, r),
                                     threads_per_minor, target::warp_threads));
        builder_.if_then({{coordinate, Relation::zero}}, [&] {
            for (int r = 0; r < indices / threads_per_minor; ++r)
                builder_.store(memory_[k].warps,
                               warp * indices +
                                   (r / of_cooperative_group * minor_group + r % of_cooperative_group) +
                                   of_cooperative_group * quarter,
                               totals[static_cast<std::size_t>(r)]);
        });
    }
}

Value WgmmaReductions::partial_index(const Tile& tile, Over over) const {
    const Integer warpgroups = schedule_.warpgroups;
    if (over == Over::all) {
        const Value tiles = builder_.multiply(
            tile.row_tile, integer(tiles_of(schedule_, product_).columns * warpgroups * warps));
        return builder_.add(tiles, builder_.multiply(tile.column_tile, integer(warpgroups * warps)));
    }
    const Value along = over == Over::columns ? tile.column_tile : tile.row_tile;
    if (!keeps_major(over)) return along;
    return builder_.add(builder_.multiply(along, integer(warpgroups)), integer(warpgroup_));
}

void WgmmaReductions::store(std::size_t k, const Tile& tile, const Coordinate& coordinate,
                            Value value) const {
    const Over over = reduction(k).over;
    const ReductionPartials& partials = memory_[k].partials;
    const Value first = over == Over::columns ? tile.row
                        : over == Over::rows  ? tile.start.column
                                              : ir::no_value;
    const Integer extent = over == Over::columns ? product_.rows : over == Over::rows ? product_.columns : 1;
    const Value in_matrix = sum(first, coordinate.more);
    const Value of_matrix = builder_.multiply(tile.start.matrix, integer(extent));
    Value offset = sum(of_matrix, in_matrix);
    Affine form = coordinate.form;
    if (!partials.are_results())
        offset =
            builder_.add(offset, builder_.multiply(partial_index(tile, over), integer(partials.results)));
    if (over == Over::all) { // the coordinate is the warp index: one partial each
        builder_.store(memory_[k].to, form * partials.results, value, {.dynamic = offset});
        return;
    }
    builder_.if_then({{form - extent, Relation::negative, in_matrix}},
                     [&] { builder_.store(memory_[k].to, form, value, {.dynamic = offset}); });
}

void WgmmaReductions::store_partials_of_epilogue_tile(const Tile& tile, int first) const {
    const Integer indices = major_extent(schedule_, minor_is_rows_);
    const Affine thread = builder_.thread(0, 1, warpgroup_threads);
    for (std::size_t k = 0; k < memory_.size(); ++k) {
        if (!keeps_major(reduction(k).over)) continue;
        for (Integer base = 0; base < indices; base += warpgroup_threads)
            builder_.if_then({{thread + (base - indices), Relation::negative}}, [&] {
                Value total = ir::no_value;
                for (Integer warp = 0; warp < warps; ++warp) {
                    const Value one = builder_.load(memory_[k].warps,
                                                    thread + (base + (warpgroup_ * warps + warp) * indices));
                    total = warp == 0 ? one : two(reduction(k).operation, total, one);
                }
                store(k, tile, {thread + (base + first), ir::no_value}, total);
            });
    }
}

void WgmmaReductions::store_partials_of_tile(const Tile& tile,
                                             const std::function<Coordinate(int)>& coordinate) const {
    for (std::size_t k = 0; k < memory_.size(); ++k) {
        const GpuReduction& of = reduction(k);
        if (of.over == Over::all) {
            const Value pair = builder_.load(memory_[k].reduced, 0, {.lanes = WgmmaEpilogue::pair});
            const Value total =
                in_warp(of.operation, both_lanes(of.operation, pair), 1, target::warp_threads);
            const Affine warp = builder_.thread(0, target::warp_threads, warps) + warpgroup_ * warps;
            builder_.if_then({{builder_.thread(0, 1, target::warp_threads), Relation::zero}}, [&] {
                store(k, tile, {warp, ir::no_value}, total);
            });
        } else if (keeps_minor(of.over)) {
            std::vector<Value> totals;
            for (int s = 0; s < minor_extent(schedule_, minor_is_rows_); ++s)
                totals.push_back(
                    in_warp(of.operation, builder_.load(memory_[k].reduced, s), 1, threads_per_minor));
            builder_.if_then({{builder_.thread(0, 1, threads_per_minor), Relation::zero}}, [&] {
                for (std::size_t s = 0; s < totals.size(); ++s)
                    store(k, tile, coordinate(static_cast<int>(s)), totals[s]);
            });
        }
    }
}

} // namespace swirl::gemm
