#include "gemm/gpu_tile_result.hpp"

#include "gemm/gpu_tile_layout.hpp"
#include "gemm/tile.hpp"
#include "ir/tile.hpp"

#include <vector>

namespace swirl::gemm {

namespace {

using ir::CopyFence;
using ir::Value;
using Relation = ir::Condition::Relation;

constexpr int group = 8; ///< neighbours along C's rows of which four threads have two each
constexpr Integer chunks_of_row = ir::tile_row_bytes / ir::tile_piece_bytes; ///< of shared memory

} // namespace

Integer GpuTileUpdate::row() const { return ir::tile_row_bytes / bytes_of(product_.number_of_c()); }

template <class Body> void GpuTileUpdate::in_one_thread(Body&& body) const {
    const Affine thread = builder_.thread(0) - warpgroup_ * warpgroup_threads;
    builder_.if_then({{thread, Relation::zero}}, body);
}

void GpuTileUpdate::wait_for_stores() const {
    in_one_thread([&] { builder_.fence({CopyFence::Kind::wait, 0, CopyFence::What::tile_stores}); });
}

void GpuTileUpdate::finish() const { wait_for_stores(); }

void GpuTileUpdate::write(const GpuTileStart& tile) const {
    if (reductions_) reductions_->begin_tile();
    for (int k = 0; k < schedule_.block_rows / schedule_.staged_rows; ++k)
        write_round({k * schedule_.staged_rows, k * columns_of_round(schedule_), tile});
    if (reductions_) reductions_->leave_tile(reduced_tile(tile), [this](int k) { return short_line(k); });
}

GpuTileReductions::Tile GpuTileUpdate::reduced_tile(const GpuTileStart& tile) {
    return {{tile.matrix, tile.row_pair, tile.column}, tile.row, tile.row_tile, tile.column_tile};
}

GpuTileReductions::Line GpuTileUpdate::short_line(int k) const {
    return has_fragments_ ? row_line(k) : GpuTileReductions::Line{column_of(k / 2, k % 2), ir::no_value};
}

/// Of a thread, in the tile.
Affine GpuTileUpdate::column_of(int part, int lower) const {
    return warpgroup_ * columns() + part * rows_of_product + lower * group + 16 * builder_.thread(0, 32, 4) +
           builder_.thread(0, 4, 8);
}

void GpuTileUpdate::stage(const Round& round, bool reads) const {
    has_fragments_ ? stage_sums_by_rows(round, reads) : stage_sums(round, reads);
}

void GpuTileUpdate::write_round(const Round& round) const {
    wait_for_stores();
    builder_.barrier();
    if (reductions_) reductions_->begin_round();
    builder_.if_then(
        {{result_.reads_c - 1, Relation::nonnegative}},
        [&] {
            read_c(round);
            stage(round, true);
        },
        [&] { stage(round, false); });
    if (reductions_) reductions_->exchange();
    builder_.fence({CopyFence::Kind::publish});
    builder_.barrier();
    if (result_.stored)
        in_one_thread([&] {
            transfer(round, [&](std::span<const Value> at, const ir::Builder::Place& place) {
                builder_.tile_store(*result_.stored, at, place);
            });
            builder_.fence({CopyFence::Kind::commit, 0, CopyFence::What::tile_stores});
        });
    store_rows_beyond_chunks(round);
    if (reductions_)
        reductions_->leave_round(reduced_tile(round.tile),
                                 has_fragments_ ? round.first_column : round.first_row);
}

/// `body(coordinates, place)` for each box of the round.
template <class Body> void GpuTileUpdate::transfer(const Round& round, Body&& body) const {
    const auto further = [&](Value from, Integer by) {
        return by == 0 ? from
                       : builder_.add(
                             from, builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(by)));
    };
    for (Integer i = 0; i < rows_of_round(); i += row()) {
        std::vector<Value> at = {further(round.tile.row, first_row(round) + i),
                                 further(round.tile.column, first_column(round))};
        if (result_.has_matrix) at.push_back(round.tile.matrix);
        body(std::span<const Value>(at),
             ir::Builder::Place{result_.staged, first_staged() + i / row() * panel()});
    }
}

/// They are in one chunk of one tile's rows, at a place that is known here. Each thread stores those of a column.
void GpuTileUpdate::store_rows_beyond_chunks(const Round& round) const {
    const Integer count = rows_beyond_chunks(product_), first = product_.rows - count;
    const Integer in_tile = first % schedule_.block_rows, in_round = in_tile - first_row(round);
    if (count == 0 || in_round < 0 || in_round >= rows_of_round()) return;
    const auto number = [&](Integer value) {
        return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(value));
    };
    const Integer chunk = ir::tile_piece_bytes / bytes_of(product_.number_of_c());
    const auto store_column = [&](const Affine& column) {
        const Value exchanged = builder_.bit_xor(builder_.index(chunk * builder_.thread(0, 1, chunks_of_row)),
                                                 builder_.index(in_round % row()));
        Value place = builder_.multiply(round.tile.column, number(product_.c.column_stride));
        if (result_.has_matrix)
            place =
                builder_.add(place, builder_.multiply(round.tile.matrix, number(product_.c.batch_stride)));
        for (Integer k = 0; k < count; ++k)
            builder_.store(result_.c_memory,
                           first + k + product_.c.column_stride * (column + first_column(round)),
                           builder_.load(result_.staged,
                                         first_staged() + in_round / row() * panel() + column * row() + k,
                                         {.dynamic = exchanged}),
                           {.dynamic = place});
    };
    builder_.if_then({{Affine(in_tile - first), Relation::zero, round.tile.row}}, [&] {
        for (Integer base = 0; base < columns_of_box(); base += warpgroup_threads) {
            const Affine column = builder_.thread(0, 1, warpgroup_threads) + base;
            builder_.if_then(
                {{column - columns_of_box(), Relation::negative},
                 {column + (first_column(round) - product_.columns), Relation::negative, round.tile.column}},
                [&] { store_column(column); });
        }
    });
}

void GpuTileUpdate::read_c(const Round& round) const {
    const ir::Builder::Place signal{result_.signals, Integer{warpgroup_}};
    in_one_thread([&] {
        builder_.signal_expect(signal, staged_elements() * bytes_of(product_.number_of_c()));
        transfer(round, [&](std::span<const Value> at, const ir::Builder::Place& place) {
            builder_.tile_load(result_.c, at, place, signal);
        });
    });
    builder_.signal_wait(signal, stages_.parity());
    stages_.advance();
}

Value GpuTileUpdate::result_of(const Round& round, const Pair& pair, Value alpha, Value sum, Value beta,
                               Value old) const {
    const ir::Scalar stored = scalar_of(product_.number_of_c());
    Value value = builder_.multiply(alpha, sum);
    if (old != ir::no_value) {
        if (stored != ir::Scalar::float32) old = builder_.convert(old, ir::Scalar::float32);
        value = builder_.fma(beta, old, value);
    }
    if (result_.epilogue != nullptr)
        value = result_.epilogue->finish({round.tile.matrix, round.tile.row_pair, round.tile.column},
                                         pair.place, value);
    if (reductions_) reductions_->take(reduced_tile(round.tile), pair.place, pair.lines, value);
    return stored == ir::Scalar::float32 ? value : builder_.convert(value, stored);
}

/// A thread has pairs of neighbours. Its row in shared memory, modulo eight, is that of its number in the warp over four, by which
/// pieces are exchanged: so threads that store at once have different banks.
void GpuTileUpdate::stage_sums(const Round& round, bool reads) const {
    const ir::Scalar stored = scalar_of(product_.number_of_c());
    const Integer piece = ir::tile_piece_bytes / size_in_bytes(stored);
    const Affine pair = 2 * builder_.thread(0, 1, 4), line = builder_.thread(0, 4, 8);
    const Affine warp = builder_.thread(0, 32, 4);
    // Where pieces have fewer than eight elements, pairs of a group are in two of them.
    const Affine half = piece < group ? builder_.thread(0, 4 / (group / static_cast<int>(piece)),
                                                        group / static_cast<int>(piece))
                                      : Affine(0);
    const Affine in_piece = piece < group ? 2 * builder_.thread(0, 1, piece / 2) : pair;
    const Value exchanged = builder_.bit_xor(builder_.index(piece * line), builder_.index(piece * half));
    const auto factor = [&](Integer which) {
        return builder_.splat(builder_.load(result_.factors, which), 2);
    };
    const Value alpha = factor(0);
    const Value beta = reads ? factor(1) : ir::no_value;
    const int registers = schedule_.block_rows / 2;
    for (Integer first = 0; first < row(); first += group) {
        const Value place = builder_.bit_xor(
            exchanged,
            builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(first / piece * piece)));
        for (Integer i = first; i < schedule_.staged_rows; i += row())
            for (int part = 0; part < columns() / rows_of_product; ++part)
                for (int lower = 0; lower < 2; ++lower) {
                    const Integer sum =
                        Integer{part} * registers + (round.first_row + i) / group * 4 + 2 * lower;
                    const Affine at = first_staged() + i / row() * panel() +
                                      (part * rows_of_product + lower * 8) * row() + warp * (16 * row()) +
                                      line * row() + in_piece + first % piece;
                    const ir::Access access{.lanes = 2, .dynamic = place};
                    const Pair in_tile{
                        {(round.first_row + i) / 2 + builder_.thread(0, 1, 4), column_of(part, lower)},
                        {static_cast<int>(i) / group * 2, 2 * part + lower}};
                    const Value value =
                        result_of(round, in_tile, alpha, builder_.load(result_.sums, sum, {.lanes = 2}), beta,
                                  reads ? builder_.load(result_.staged, at, access) : ir::no_value);
                    builder_.store(result_.staged, at, value, access);
                }
    }
}

} // namespace swirl::gemm
