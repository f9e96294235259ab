#include "gemm/gpu_block_reductions.hpp"

#include "gemm/tile.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

constexpr int exchanged_at_once = 4; ///< numbers of a thread

/// Without digits that have one value.
std::vector<ir::Condition> are_zero(const std::array<Affine, 2>& digits) {
    std::vector<ir::Condition> result;
    for (const Affine& digit : digits)
        if (digit != Affine(0)) result.push_back({digit, Relation::zero});
    return result;
}

/// `body` where all hold, of none, too.
template <class Body>
void where_all_hold(ir::Builder& builder, const std::vector<ir::Condition>& conditions, Body&& body) {
    if (conditions.empty()) return body();
    builder.if_then(conditions, body);
}

} // namespace

int GpuBlockReductions::registers(Over over) const {
    switch (over) {
    case Over::columns: return schedule_.thread_rows;
    case Over::rows: return schedule_.thread_columns;
    case Over::all: return schedule_.c_lanes;
    }
    return 0;
}

GpuBlockReductions::GpuBlockReductions(ir::Builder& builder, const GpuSchedule& schedule,
                                       const MatrixProduct& oriented, const GpuEpilogueWriter& writer,
                                       std::optional<GpuRangeSide> side)
    : builder_(builder),
      schedule_(schedule),
      product_(oriented),
      writer_(writer),
      scalar_(scalar_of(oriented.number)) {
    for (const GpuReduction& reduction : writer.epilogue().reductions) {
        One& one = all_.emplace_back();
        one.parts = parts_of(schedule, oriented, reduction.over);
        one.to = builder.add(buffer_of_result_parts(reduction, one.parts, scalar_, side));
        one.reduced = builder.local("reduced_" + reduction.name, scalar_, registers(reduction.over));
    }
    if (!all_.empty())
        others_ = builder.shared("reduced_by_others", scalar_,
                                 shared_bytes(schedule, oriented) / ir::size_in_bytes(scalar_));
}

GpuResultParts GpuBlockReductions::parts_of(const GpuSchedule& schedule, const MatrixProduct& oriented,
                                            Over over) {
    const Integer results = oriented.batch * results_of_matrix(oriented, over);
    const Integer rows = ceil_divide(oriented.rows, Integer{schedule.block_rows});
    const Integer columns = ceil_divide(oriented.columns, Integer{schedule.block_columns});
    switch (over) {
    case Over::columns: return {results, columns * schedule.shares()};
    case Over::rows: return {results, rows};
    case Over::all: return {results, rows * columns * schedule.shares()};
    }
    return {};
}

Integer GpuBlockReductions::shared_bytes(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    if (oriented.reductions.empty()) return 0;
    return Integer{exchanged_at_once} * schedule.matrices * schedule.slice_threads() *
           ir::size_in_bytes(scalar_of(oriented.number));
}

template <class Body> void GpuBlockReductions::in_first_slice(Body&& body) {
    if (schedule_.slices == 1) return body();
    builder_.if_then({{threads_->slice(), Relation::zero}}, body);
}

template <class Body> void GpuBlockReductions::under(bool may_fail, const Affine& form, Body&& body) {
    if (!may_fail) return body();
    builder_.if_then({{form, Relation::nonnegative}}, body);
}

void GpuBlockReductions::begin(const GpuThreads& threads, const GpuReducedTile& tile) {
    threads_ = &threads;
    tile_ = tile;
    for (std::size_t k = 0; k < all_.size(); ++k) {
        const Value neutral = neutral_of(builder_, {scalar_, 1}, reduction(k).operation);
        for (int r = 0; r < registers(reduction(k).over); ++r) builder_.store(all_[k].reduced, r, neutral);
    }
}

void GpuBlockReductions::take(int i, int j, const GpuEpilogueWriter::Place& place, Value elements) {
    for (std::size_t k = 0; k < all_.size(); ++k) {
        const Reduce operation = reduction(k).operation;
        const Over over = reduction(k).over;
        Value value = writer_.reduced(k, place, elements);
        if (over == Over::rows) value = reduce_lanes(builder_, operation, value);
        const Integer at = over == Over::columns ? i : over == Over::rows ? j : 0;
        const ir::Access access{.lanes = builder_.type(value).lanes};
        const Value before = builder_.load(all_[k].reduced, at, access);
        builder_.store(all_[k].reduced, at, reduce_two(builder_, operation, before, value), access);
    }
}

template <class Body>
void GpuBlockReductions::exchange(Reduce operation, const std::vector<Value>& values,
                                  const std::vector<Integer>& sharing,
                                  const std::vector<ir::Condition>& is_first, Body&& body) {
    if (sharing.size() == 1) {
        in_first_slice([&] {
            for (std::size_t k = 0; k < values.size(); ++k) body(k, values[k]);
        });
        return;
    }
    const Integer threads = Integer{schedule_.slice_threads()} * schedule_.matrices;
    const Affine own = threads_->matrix() * schedule_.slice_threads() + threads_->in_slice();
    const auto place = [&](std::size_t k, Integer other) {
        return own + (static_cast<Integer>(k) * threads + other);
    };
    builder_.barrier(); // what was there before has been read
    in_first_slice([&] {
        for (std::size_t k = 0; k < values.size(); ++k) builder_.store(others_, place(k, 0), values[k]);
    });
    builder_.barrier();
    std::vector<ir::Condition> reads = is_first;
    if (schedule_.slices > 1) reads.push_back({threads_->slice(), Relation::zero});
    where_all_hold(builder_, reads, [&] {
        for (std::size_t k = 0; k < values.size(); ++k) {
            Value total = builder_.load(others_, place(k, sharing.front()));
            for (std::size_t other = 1; other < sharing.size(); ++other)
                total =
                    reduce_two(builder_, operation, total, builder_.load(others_, place(k, sharing[other])));
            body(k, total);
        }
    });
}

/// The first result of the tile: of its matrix, which has so many, and in it.
Value GpuBlockReductions::first_of(Integer of_matrix, Value in_matrix) {
    const Value count = builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(of_matrix));
    return builder_.add(builder_.multiply(tile_.matrix, count), in_matrix);
}

void GpuBlockReductions::store(const One& one, const Affine& part, Value first, const Affine& place,
                               Value value) {
    under(tile_.has_spare_matrices, tile_.own_matrix, [&] {
        builder_.store(one.to, (one.parts.are_results() ? Affine(0) : part * one.parts.results) + place,
                       value, {.dynamic = first});
    });
}

void GpuBlockReductions::finish_rows(const One& one, const GpuReduction& reduction) {
    const Value first = first_of(product_.rows, tile_.row);
    const Affine part = tile_.column_tile * schedule_.shares() + tile_.share;
    const std::vector<Integer> sharing = threads_->sharing_rows();
    for (int i = 0; i < schedule_.thread_rows; i += exchanged_at_once) {
        std::vector<Value> values;
        for (int k = i; k < std::min(schedule_.thread_rows, i + exchanged_at_once); ++k)
            values.push_back(builder_.load(one.reduced, k));
        exchange(reduction.operation, values, sharing, are_zero(threads_->number_among_columns()),
                 [&](std::size_t k, Value total) {
                     const Affine row = threads_->row(i + static_cast<int>(k));
                     under(tile_.has_shared_rows, tile_.own_row + row,
                           [&] { store(one, part, first, row, total); });
                 });
    }
}

void GpuBlockReductions::finish_columns(const One& one, const GpuReduction& reduction, int columns,
                                        const std::function<Affine(int)>& column) {
    const Value first = first_of(product_.columns, tile_.column);
    const std::vector<Integer> sharing = threads_->sharing_columns();
    for (int j = 0; j < columns; j += exchanged_at_once) {
        std::vector<Value> values;
        for (int k = j; k < std::min(columns, j + exchanged_at_once); ++k)
            values.push_back(builder_.load(one.reduced, k));
        exchange(reduction.operation, values, sharing, are_zero(threads_->number_among_rows()),
                 [&](std::size_t k, Value total) {
                     const Affine at = column(j + static_cast<int>(k));
                     under(tile_.has_shared_columns, tile_.own_column + at,
                           [&] { store(one, tile_.row_tile, first, at, total); });
                 });
    }
}

/// First those of threads with the same rows, then what these have come to.
void GpuBlockReductions::finish_all(const One& one, const GpuReduction& reduction) {
    const Affine tile = tile_.row_tile * tile_.column_tiles + tile_.column_tile;
    const Affine part = tile * schedule_.shares() + tile_.share;
    const Value own = reduce_lanes(builder_, reduction.operation,
                                   builder_.load(one.reduced, 0, {.lanes = schedule_.c_lanes}));
    exchange(reduction.operation, {own}, threads_->sharing_rows(), are_zero(threads_->number_among_columns()),
             [&](std::size_t, Value total) { builder_.store(one.reduced, 0, total); });
    std::vector<ir::Condition> is_first = are_zero(threads_->number_among_rows());
    for (const ir::Condition& condition : are_zero(threads_->number_among_columns()))
        is_first.push_back(condition);
    const std::vector<Integer> sharing = threads_->sharing_columns();
    const auto leave = [&](std::size_t, Value total) { store(one, part, tile_.matrix, 0, total); };
    if (sharing.size() > 1)
        return exchange(reduction.operation, {builder_.load(one.reduced, 0)}, sharing, is_first, leave);
    in_first_slice(
        [&] { where_all_hold(builder_, is_first, [&] { leave(0, builder_.load(one.reduced, 0)); }); });
}

void GpuBlockReductions::finish(int columns, const std::function<Affine(int)>& column) {
    for (std::size_t k = 0; k < all_.size(); ++k) {
        const GpuReduction& one = reduction(k);
        if (one.over == Over::columns) finish_rows(all_[k], one);
        if (one.over == Over::rows) finish_columns(all_[k], one, columns, column);
        if (one.over == Over::all) finish_all(all_[k], one);
    }
}

} // namespace swirl::gemm
