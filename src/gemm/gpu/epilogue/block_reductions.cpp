#include "gemm/gpu/epilogue/block_reductions.hpp"

#include "gemm/scalar.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

/// Omits digits with a single value.
std::vector<ir::Condition> are_zero(const std::array<Affine, 2>& digits) {
    std::vector<ir::Condition> result;
    for (const Affine& digit : digits)
        if (digit != Affine(0)) result.push_back({digit, Relation::zero});
    return result;
}

/// Executes `body` where all conditions hold; unconditionally if there are none.
template <class Body>
void where_all_hold(ir::Builder& builder, const std::vector<ir::Condition>& conditions, Body&& body) {
    if (conditions.empty()) return body();
    builder.if_then(conditions, body);
}

} // namespace

int GpuBlockReductions::registers(Over over) const {
    switch (over) {
    case Over::columns: return schedule_.thread_tile.m;
    case Over::rows: return schedule_.thread_tile.n;
    case Over::all: return schedule_.c_vector_m;
    }
    return 0;
}

GpuBlockReductions::GpuBlockReductions(ir::Builder& builder, const SimtGemm& schedule,
                                       const MatrixProduct& canonical, const GpuEpilogueWriter& writer,
                                       std::optional<KernelPath> path)
    : builder_(builder),
      schedule_(schedule),
      product_(canonical),
      writer_(writer),
      scalar_(scalar_of(canonical.data_type)) {
    for (const GpuReduction& reduction : writer.epilogue().reductions) {
        One& one = all_.emplace_back();
        one.partials = partials_of(schedule, canonical, reduction.over);
        one.to = builder.add(buffer_of_reduction_partials(reduction, one.partials, scalar_, path));
        one.reduced = builder.local("reduced_" + reduction.name, scalar_, registers(reduction.over));
    }
    if (!all_.empty())
        others_ = builder.shared("reduced_by_threads", scalar_,
                                 shared_bytes(schedule, canonical) / bytes_of(scalar_));
}

ReductionPartials GpuBlockReductions::partials_of(const SimtGemm& schedule, const MatrixProduct& canonical,
                                                  Over over) {
    const Integer results = canonical.batch * results_of_matrix(canonical, over);
    const Integer rows = ceil_divide(canonical.rows, Integer{schedule.cta_tile.m});
    const Integer columns = ceil_divide(canonical.columns, Integer{schedule.cta_tile.n});
    switch (over) {
    case Over::columns: return {results, columns * schedule.reducing_blocks()};
    case Over::rows: return {results, rows};
    case Over::all: return {results, rows * columns * schedule.reducing_blocks()};
    }
    return {};
}

Integer GpuBlockReductions::shared_bytes(const SimtGemm& schedule, const MatrixProduct& canonical) {
    if (canonical.reductions.empty()) return 0;
    return Integer{exchanged_at_once} * schedule.matrices() * schedule.k_slice_threads() *
           bytes_of(scalar_of(canonical.data_type));
}

template <class Body> void GpuBlockReductions::in_first_k_slice(Body&& body) {
    if (schedule_.sliced_k == 1) return body();
    builder_.if_then({{threads_->slice(), Relation::zero}}, body);
}

template <class Body> void GpuBlockReductions::under(bool may_fail, const Affine& form, Body&& body) {
    if (!may_fail) return body();
    builder_.if_then({{form, Relation::nonnegative}}, body);
}

void GpuBlockReductions::begin(const SimtThreadLayout& threads, const ReducedTile& tile) {
    threads_ = &threads;
    tile_ = tile;
    for (std::size_t k = 0; k < all_.size(); ++k) {
        const Value neutral = identity_of(builder_, {scalar_, 1}, reduction(k).operation);
        for (int r = 0; r < registers(reduction(k).over); ++r) builder_.store(all_[k].reduced, r, neutral);
    }
}

void GpuBlockReductions::take(int i, int j, const GpuEpilogueWriter::Coordinates& coordinates,
                              Value elements) {
    for (std::size_t k = 0; k < all_.size(); ++k) {
        const Reduce operation = reduction(k).operation;
        const Over over = reduction(k).over;
        Value value = writer_.reduced(k, coordinates, elements);
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
        in_first_k_slice([&] {
            for (std::size_t k = 0; k < values.size(); ++k) body(k, values[k]);
        });
        return;
    }
    const Integer threads = Integer{schedule_.k_slice_threads()} * schedule_.matrices();
    const Affine own = threads_->matrix() * schedule_.k_slice_threads() + threads_->in_k_slice();
    const auto offset_of = [&](std::size_t k, Integer other) {
        return own + (static_cast<Integer>(k) * threads + other);
    };
    builder_.barrier(); // earlier values have been read
    in_first_k_slice([&] {
        for (std::size_t k = 0; k < values.size(); ++k) builder_.store(others_, offset_of(k, 0), values[k]);
    });
    builder_.barrier();
    std::vector<ir::Condition> reads = is_first;
    if (schedule_.sliced_k > 1) reads.push_back({threads_->slice(), Relation::zero});
    where_all_hold(builder_, reads, [&] {
        for (std::size_t k = 0; k < values.size(); ++k) {
            Value total = builder_.load(others_, offset_of(k, sharing.front()));
            for (std::size_t other = 1; other < sharing.size(); ++other)
                total = reduce_two(builder_, operation, total,
                                   builder_.load(others_, offset_of(k, sharing[other])));
            body(k, total);
        }
    });
}

/// Index of the tile's first result: that of its matrix, which has `of_matrix` results, plus the one within the
/// matrix.
Value GpuBlockReductions::first_of(Integer of_matrix, Value in_matrix) {
    const Value count = builder_.constant({DataType::int64, 1}, static_cast<long double>(of_matrix));
    return builder_.add(builder_.multiply(tile_.matrix, count), in_matrix);
}

void GpuBlockReductions::store(const One& one, const Affine& partial, Value first, const Affine& offset,
                               Value value) {
    under(tile_.has_spare_matrices, tile_.own_matrix, [&] {
        builder_.store(one.to,
                       (one.partials.are_results() ? Affine(0) : partial * one.partials.results) + offset,
                       value, {.dynamic = first});
    });
}

void GpuBlockReductions::finish_rows(const One& one, const GpuReduction& reduction) {
    const Value first = first_of(product_.rows, tile_.row);
    const Affine partial = tile_.column_tile * schedule_.reducing_blocks() + tile_.share;
    const std::vector<Integer> sharing = threads_->sharing_rows();
    for (int i = 0; i < schedule_.thread_tile.m; i += exchanged_at_once) {
        std::vector<Value> values;
        for (int k = i; k < std::min(schedule_.thread_tile.m, i + exchanged_at_once); ++k)
            values.push_back(builder_.load(one.reduced, k));
        exchange(reduction.operation, values, sharing, are_zero(threads_->index_among_columns()),
                 [&](std::size_t k, Value total) {
                     const Affine row = threads_->row(i + static_cast<int>(k));
                     under(tile_.has_shared_rows, tile_.own_row + row,
                           [&] { store(one, partial, first, row, total); });
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
        exchange(reduction.operation, values, sharing, are_zero(threads_->index_among_rows()),
                 [&](std::size_t k, Value total) {
                     const Affine at = column(j + static_cast<int>(k));
                     under(tile_.has_shared_columns, tile_.own_column + at,
                           [&] { store(one, tile_.row_tile, first, at, total); });
                 });
    }
}

/// First over threads with the same rows, then over their results.
void GpuBlockReductions::finish_all(const One& one, const GpuReduction& reduction) {
    const Affine tile = tile_.row_tile * tile_.column_tiles + tile_.column_tile;
    const Affine partial = tile * schedule_.reducing_blocks() + tile_.share;
    const Value own = reduce_lanes(builder_, reduction.operation,
                                   builder_.load(one.reduced, 0, {.lanes = schedule_.c_vector_m}));
    exchange(reduction.operation, {own}, threads_->sharing_rows(), are_zero(threads_->index_among_columns()),
             [&](std::size_t, Value total) { builder_.store(one.reduced, 0, total); });
    std::vector<ir::Condition> is_first = are_zero(threads_->index_among_rows());
    for (const ir::Condition& condition : are_zero(threads_->index_among_columns()))
        is_first.push_back(condition);
    const std::vector<Integer> sharing = threads_->sharing_columns();
    const auto leave = [&](std::size_t, Value total) { store(one, partial, tile_.matrix, 0, total); };
    if (sharing.size() > 1)
        return exchange(reduction.operation, {builder_.load(one.reduced, 0)}, sharing, is_first, leave);
    in_first_k_slice(
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
