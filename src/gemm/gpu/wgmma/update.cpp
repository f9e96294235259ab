#include "gemm/gpu/wgmma/update.hpp"

#include "gemm/gpu/wgmma/layout.hpp"
#include "gemm/scalar.hpp"
#include "ir/tile.hpp"

#include <span>
#include <vector>

namespace swirl::gemm {

namespace {

using ir::AsyncFence;
using ir::Value;
using Relation = ir::Condition::Relation;

constexpr int group = 8; ///< adjacent rows of C, two per thread of a quad

} // namespace

Integer WgmmaUpdate::row() const {
    return row_bytes_of_c(schedule_, product_) / bytes_of(product_.type_of_c());
}

/// The chunks of a column are exchanged by this index of the column (ir::swizzled), a digit of the thread's index if threads
/// `threads_of_column` apart have adjacent columns.
Affine WgmmaUpdate::exchange_of_column(int threads_of_column) const {
    const Integer bytes = row_bytes_of_c(schedule_, product_);
    return builder_.thread(0, threads_of_column * ir::swizzle_row_bytes / bytes,
                           bytes / ir::swizzle_chunk_bytes);
}

template <class Body> void WgmmaUpdate::in_one_thread(Body&& body) const {
    const Affine thread = builder_.thread(0) - warpgroup_ * warpgroup_threads;
    builder_.if_then({{thread, Relation::zero}}, body);
}

void WgmmaUpdate::wait_for_stores(int pending) const {
    in_one_thread([&] { builder_.fence({AsyncFence::Kind::wait, pending, AsyncFence::What::tma_stores}); });
}

void WgmmaUpdate::finish() const { wait_for_stores(); }

void WgmmaUpdate::write(const TileOrigin& tile) const {
    if (reductions_) reductions_->begin_tile();
    for (int k = 0; k < schedule_.cta_tile.m / schedule_.epilogue_tile_m; ++k)
        write_epilogue_tile({k * schedule_.epilogue_tile_m, k * epilogue_tile_n(schedule_), tile});
    if (reductions_)
        reductions_->store_partials_of_tile(reduced_tile(tile),
                                            [this](int k) { return minor_coordinate(k); });
}

WgmmaReductions::Tile WgmmaUpdate::reduced_tile(const TileOrigin& tile) {
    return {{tile.matrix, tile.row_pair, tile.column}, tile.row, tile.row_tile, tile.column_tile};
}

WgmmaReductions::Coordinate WgmmaUpdate::minor_coordinate(int k) const {
    return has_register_a_ ? row_coordinate(k)
                           : WgmmaReductions::Coordinate{column_of(k / 2, k % 2), ir::no_value};
}

/// A thread's column in the tile.
Affine WgmmaUpdate::column_of(int wgmma, int lower) const {
    return warpgroup_ * columns() + wgmma * rows_of_wgmma + lower * group + 16 * builder_.thread(0, 32, 4) +
           builder_.thread(0, 4, 8);
}

std::vector<WgmmaUpdate::Box> WgmmaUpdate::boxes() const {
    std::vector<Box> result;
    for (Integer j = 0; j < columns_of_epilogue_tile(); j += columns_of_box_of_c(schedule_, has_register_a_))
        for (Integer i = 0; i < rows_of_epilogue_tile(); i += row()) result.push_back({i, j});
    return result;
}

void WgmmaUpdate::stage(const EpilogueTile& epilogue_tile, std::span<const Box> staged, bool reads) const {
    if (has_register_a_) return store_accumulators_by_rows(epilogue_tile, reads);
    for (const Box& box : staged) store_accumulators_to_smem(epilogue_tile, box, reads);
}

void WgmmaUpdate::write_epilogue_tile(const EpilogueTile& epilogue_tile) const {
    if (has_register_a_ || reductions_)
        write_whole(epilogue_tile);
    else
        write_by_columns(epilogue_tile);
    store_residual_rows(epilogue_tile);
    if (reductions_)
        reductions_->store_partials_of_epilogue_tile(
            reduced_tile(epilogue_tile.tile),
            has_register_a_ ? epilogue_tile.first_column : epilogue_tile.first_row);
}

void WgmmaUpdate::write_whole(const EpilogueTile& epilogue_tile) const {
    const std::vector<Box> all = boxes();
    wait_for_stores();
    builder_.barrier();
    if (reductions_) reductions_->begin_epilogue_tile();
    builder_.if_then(
        {{result_.reads_c - 1, Relation::nonnegative}},
        [&] {
            read_c(epilogue_tile);
            stage(epilogue_tile, all, true);
        },
        [&] { stage(epilogue_tile, all, false); });
    if (reductions_) reductions_->exchange();
    store(epilogue_tile, all);
}

/// The columns of one wgmma after the other's. Their stores are one group each: the wait for all but those of the other
/// columns is one for the last stores of these.
void WgmmaUpdate::write_by_columns(const EpilogueTile& epilogue_tile) const {
    const std::vector<Box> all = boxes();
    const std::size_t panels = static_cast<std::size_t>(rows_of_epilogue_tile() / row()),
                      groups = all.size() / panels;
    const auto reads_c = [&](auto&& with, auto&& without) {
        builder_.if_then({{result_.reads_c - 1, Relation::nonnegative}}, with, without);
    };
    if (groups > 1)
        builder_.if_then({{result_.reads_c - 1, Relation::nonnegative}}, [&] {
            wait_for_stores();
            builder_.barrier();
            read_c(epilogue_tile);
        });
    for (std::size_t g = 0; g < groups; ++g) {
        const std::span<const Box> own = std::span(all).subspan(g * panels, panels);
        wait_for_stores(static_cast<int>(groups) - 1);
        builder_.barrier();
        reads_c(
            [&] {
                if (groups == 1) read_c(epilogue_tile);
                stage(epilogue_tile, own, true);
            },
            [&] { stage(epilogue_tile, own, false); });
        store(epilogue_tile, own);
    }
}

/// What threads have written to shared memory, as one group.
void WgmmaUpdate::store(const EpilogueTile& epilogue_tile, std::span<const Box> stored) const {
    builder_.fence({AsyncFence::Kind::publish});
    builder_.barrier();
    if (!result_.store_tensor) return;
    in_one_thread([&] {
        for (const Box& box : stored)
            transfer(epilogue_tile, box,
                     [&](std::span<const Value> at, const ir::Builder::MemoryOperand& operand) {
                         builder_.tma_store(*result_.store_tensor, at, operand);
                     });
        builder_.fence({AsyncFence::Kind::commit, 0, AsyncFence::What::tma_stores});
    });
}

/// `body(coordinates, offset)` for a box of the epilogue tile.
template <class Body>
void WgmmaUpdate::transfer(const EpilogueTile& epilogue_tile, const Box& box, Body&& body) const {
    const auto further = [&](Value from, Integer by) {
        return by == 0 ? from
                       : builder_.add(from,
                                      builder_.constant({DataType::int64, 1}, static_cast<long double>(by)));
    };
    std::vector<Value> at = {further(epilogue_tile.tile.row, first_row(epilogue_tile) + box.row),
                             further(epilogue_tile.tile.column, first_column(epilogue_tile) + box.column)};
    if (result_.has_matrix) at.push_back(epilogue_tile.tile.matrix);
    body(std::span<const Value>(at),
         ir::Builder::MemoryOperand{
             result_.epilogue_smem,
             first_of_epilogue_tile() + box.row / row() * panel() + box.column * row()});
}

/// They lie in one chunk of one tile's rows, at a static offset. Each thread stores those of one column.
void WgmmaUpdate::store_residual_rows(const EpilogueTile& epilogue_tile) const {
    const Integer count = residual_rows(product_), first = product_.rows - count;
    const Integer in_tile = first % schedule_.cta_tile.m, major = in_tile - first_row(epilogue_tile);
    if (count == 0 || major < 0 || major >= rows_of_epilogue_tile()) return;
    const auto integer = [&](Integer value) {
        return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
    };
    const Integer chunk = ir::swizzle_chunk_bytes / bytes_of(product_.type_of_c());
    const auto store_column = [&](const Affine& column) {
        const Value exchanged =
            builder_.bit_xor(builder_.index(chunk * exchange_of_column(1)), builder_.index(major % row()));
        Value offset = builder_.multiply(epilogue_tile.tile.column, integer(product_.c.column_stride));
        if (result_.has_matrix)
            offset = builder_.add(
                offset, builder_.multiply(epilogue_tile.tile.matrix, integer(product_.c.batch_stride)));
        for (Integer k = 0; k < count; ++k)
            builder_.store(
                result_.c_memory,
                first + k + product_.c.column_stride * (column + first_column(epilogue_tile)),
                builder_.load(result_.epilogue_smem,
                              first_of_epilogue_tile() + major / row() * panel() + column * row() + k,
                              {.dynamic = exchanged}),
                {.dynamic = offset});
    };
    builder_.if_then({{Affine(in_tile - first), Relation::zero, epilogue_tile.tile.row}}, [&] {
        for (Integer base = 0; base < columns_of_epilogue_tile(); base += warpgroup_threads) {
            const Affine column = builder_.thread(0, 1, warpgroup_threads) + base;
            builder_.if_then({{column - columns_of_epilogue_tile(), Relation::negative},
                              {column + (first_column(epilogue_tile) - product_.columns), Relation::negative,
                               epilogue_tile.tile.column}},
                             [&] { store_column(column); });
        }
    });
}

void WgmmaUpdate::read_c(const EpilogueTile& epilogue_tile) const {
    const ir::Builder::MemoryOperand mbarrier{result_.mbarriers, Integer{warpgroup_}};
    in_one_thread([&] {
        builder_.mbarrier_arrive_expect_tx(mbarrier,
                                           epilogue_tile_elements() * bytes_of(product_.type_of_c()));
        for (const Box& box : boxes())
            transfer(epilogue_tile, box,
                     [&](std::span<const Value> at, const ir::Builder::MemoryOperand& operand) {
                         builder_.tma_load(result_.c, at, operand, mbarrier);
                     });
    });
    builder_.mbarrier_wait(mbarrier, stages_.phase());
    stages_.advance();
}

Value WgmmaUpdate::result_of(const EpilogueTile& epilogue_tile, const Pair& pair, Value alpha, Value sum,
                             Value beta, Value old) const {
    const DataType stored = scalar_of(product_.type_of_c());
    Value value = builder_.multiply(alpha, sum);
    if (old != ir::no_value) {
        if (stored != DataType::float32) old = builder_.convert(old, DataType::float32);
        value = builder_.fma(beta, old, value);
    }
    if (result_.epilogue != nullptr)
        value = result_.epilogue->finish(
            {epilogue_tile.tile.matrix, epilogue_tile.tile.row_pair, epilogue_tile.tile.column},
            pair.coordinates, value);
    if (reductions_)
        reductions_->take(reduced_tile(epilogue_tile.tile), pair.coordinates, pair.indices, value);
    return stored == DataType::float32 ? value : builder_.convert(value, stored);
}

/// A thread has pairs of adjacent elements. Its shared-memory row, modulo eight, is its lane over four, by which
/// chunks are swizzled: threads that store simultaneously use different banks, if rows have 128 bytes.
void WgmmaUpdate::store_accumulators_to_smem(const EpilogueTile& epilogue_tile, const Box& box,
                                             bool reads) const {
    const DataType stored = scalar_of(product_.type_of_c());
    const Integer chunk = ir::swizzle_chunk_bytes / bytes_of(stored);
    const Affine pair = 2 * builder_.thread(0, 1, 4), coordinate = builder_.thread(0, 4, 8);
    const Affine warp = builder_.thread(0, 32, 4);
    // If chunks have fewer than eight elements, the pairs of a group span two of them.
    const Affine half = chunk < group ? builder_.thread(0, 4 / (group / static_cast<int>(chunk)),
                                                        group / static_cast<int>(chunk))
                                      : Affine(0);
    const Affine in_chunk = chunk < group ? 2 * builder_.thread(0, 1, chunk / 2) : pair;
    const Value exchanged =
        builder_.bit_xor(builder_.index(chunk * exchange_of_column(4)), builder_.index(chunk * half));
    const auto scalar = [&](Integer which) {
        return builder_.splat(builder_.load(result_.alpha_beta, which), 2);
    };
    const Value alpha = scalar(0);
    const Value beta = reads ? scalar(1) : ir::no_value;
    const int registers = schedule_.cta_tile.m / 2;
    for (Integer first = 0; first < row(); first += group) {
        const Value offset = builder_.bit_xor(
            exchanged,
            builder_.constant({DataType::int64, 1}, static_cast<long double>(first / chunk * chunk)));
        const Integer i = box.row + first;
        const auto wgmma = static_cast<int>(box.column / rows_of_wgmma);
        for (int lower = 0; lower < 2; ++lower) {
            const Integer sum =
                Integer{wgmma} * registers + (epilogue_tile.first_row + i) / group * 4 + 2 * lower;
            const Affine at = first_of_epilogue_tile() + i / row() * panel() +
                              (wgmma * rows_of_wgmma + lower * 8) * row() + warp * (16 * row()) +
                              coordinate * row() + in_chunk + first % chunk;
            const ir::Access access{.lanes = 2, .dynamic = offset};
            const Pair in_tile{
                {(epilogue_tile.first_row + i) / 2 + builder_.thread(0, 1, 4), column_of(wgmma, lower)},
                {static_cast<int>(i) / group * 2, 2 * wgmma + lower}};
            const Value value = result_of(
                epilogue_tile, in_tile, alpha, builder_.load(result_.accumulators, sum, {.lanes = 2}), beta,
                reads ? builder_.load(result_.epilogue_smem, at, access) : ir::no_value);
            builder_.store(result_.epilogue_smem, at, value, access);
        }
    }
}

} // namespace swirl::gemm
