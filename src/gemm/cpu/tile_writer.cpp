#include "gemm/cpu/tile_writer.hpp"

#include "base/integer.hpp"
#include "target/x86/dot_products.hpp"

#include <algorithm>
#include <utility>

namespace swirl::gemm {

TileWriter::TileWriter(ir::Builder& builder, DataType data_type, int lanes, int rows, int columns,
                       ir::Buffer accumulators, const KPacking& k_packing)
    : builder_(builder),
      components_(scalars_in(data_type)),
      rows_(rows),
      columns_(columns),
      vectors_((rows + lanes - 1) / lanes),
      type_{scalar_of(data_type), lanes},
      k_packing_(k_packing),
      in_registers_(accumulators),
      accumulators_(static_cast<std::size_t>(components_ * vectors_ * columns), builder.constant(type_, 0)) {}

int TileWriter::active(int vector) const { return std::min(type_.lanes, rows_ - vector * type_.lanes); }

ir::Value& TileWriter::accumulator(int component, int vector, int column) {
    return accumulators_[static_cast<std::size_t>((column * vectors_ + vector) * components_ + component)];
}

void TileWriter::load_accumulators() {
    for (std::size_t at = 0; at < accumulators_.size(); ++at)
        accumulators_[at] = builder_.load(in_registers_, offset(at), {.lanes = type_.lanes});
}

void TileWriter::store_accumulators() {
    for (std::size_t at = 0; at < accumulators_.size(); ++at)
        builder_.store(in_registers_, offset(at), accumulators_[at], {.lanes = type_.lanes});
}

void TileWriter::clear() {
    is_looping_ = true;
    store_accumulators();
}

void TileWriter::start_from(ir::Buffer buffer, const Affine& first) {
    for (int column = 0; column < columns_; ++column) {
        const Value start = builder_.splat(builder_.load(buffer, first + column), type_.lanes);
        for (int vector = 0; vector < vectors_; ++vector) accumulator(0, vector, column) = start;
    }
    clear();
}

void TileWriter::multiply(const TileOperand& a, const TileOperand& b, const Affine& begin, const Affine& end,
                          int unroll, const NextPanel& next_panel) {
    const Integer prefetch_stride = ceil_divide(scalars_per_cache_line(type_.scalar), unroll);
    builder_.for_loop("k", begin, end, unroll, ir::For::Kind::serial, [&](const Affine& k) {
        load_accumulators();
        if (next_panel.is_wanted) builder_.prefetch(next_panel.buffer, prefetch_stride * k);
        for (int j = 0; j < unroll; ++j) multiply_k(a, b, k + j);
        store_accumulators();
    });
}

void TileWriter::multiply_straight(const TileOperand& a, const TileOperand& b, const Affine& begin,
                                   int k_count) {
    if (is_looping_) load_accumulators();
    for (int j = 0; j < k_count; ++j) multiply_k(a, b, begin + j);
    if (is_looping_) store_accumulators();
}

/// The outer product of a column of A and a row of B.
void TileWriter::multiply_k(const TileOperand& a, const TileOperand& b, const Affine& k) {
    if (a.prefetch_rows > 0)
        for (Integer row = 0; row < (a.is_padded ? a.k_stride : rows_);
             row += scalars_per_cache_line(type_.scalar))
            builder_.prefetch(a.buffer, a.origin + a.k_stride * k + (a.prefetch_rows + row));
    std::vector<Components> rows;
    for (int vector = 0; vector < vectors_; ++vector) {
        Components& row = rows.emplace_back();
        for (int component = 0; component < components_; ++component)
            row[static_cast<std::size_t>(component)] = builder_.load(
                a.buffer, a.origin + a.k_stride * k + (component * a.component_stride + vector * type_.lanes),
                {.lanes = type_.lanes, .active = a.is_padded ? type_.lanes : active(vector)});
    }
    for (int column = 0; column < columns_; ++column)
        for (int component = 0; component < components_; ++component) {
            const Value b_value = builder_.splat(
                builder_.load(b.buffer, b.origin + b.k_stride * k +
                                            (component * b.component_stride + column * b.stride)),
                type_.lanes);
            for (int vector = 0; vector < vectors_; ++vector)
                multiply_add(rows[static_cast<std::size_t>(vector)], b_value, component,
                             component == 1 && b.conjugated, vector, column);
        }
}

/// accumulator += row · the real (component 0) or imaginary component of an element of B.
void TileWriter::multiply_add(const Components& row, Value b_value, int component, bool negated, int vector,
                              int column) {
    for (int of_row = 0; of_row < components_; ++of_row) {
        Value& target = accumulator(component ^ of_row, vector, column);
        const Value a = row[static_cast<std::size_t>(of_row)];
        if (!k_packing_.is_plain()) {
            target = dot_product(a, b_value, target);
            continue;
        }
        const bool subtracts = (component == 1 && of_row == 1) != negated;
        target = subtracts ? builder_.fnma(a, b_value, target) : builder_.fma(a, b_value, target);
    }
}

/// Dot product of K groups of some rows and of a column.
ir::Value TileWriter::dot_product(Value row, Value b_value, Value accumulator) {
    using namespace target::x86;
    const int lanes = type_.lanes;
    if (k_packing_.method == Method::int16_pairs)
        return builder_.add(accumulator, builder_.instruction(dot_product_of_int16(lanes), {row, b_value}));
    if (k_packing_.method == Method::bfloat16_pairs)
        return builder_.instruction(dot_product_of_bfloat16(lanes), {accumulator, row, b_value});
    if (k_packing_.b_is_unsigned) std::swap(row, b_value);
    return builder_.instruction(dot_product_of_bytes(lanes), {accumulator, row, b_value});
}

Components TileWriter::broadcast_scalar(ir::Buffer buffer, Integer offset) {
    Components components{ir::no_value, ir::no_value};
    for (int component = 0; component < components_; ++component)
        components[static_cast<std::size_t>(component)] =
            builder_.splat(builder_.load(buffer, offset + component), type_.lanes);
    return components;
}

/// x·y + z, or x·y if z is null.
Components TileWriter::product(const Components& x, const Components& y, const Components* z) {
    const auto plus = [&](Value a, Value b, std::size_t component) {
        if (z == nullptr) return builder_.multiply(a, b);
        if (!is_floating(type_.scalar)) return builder_.add(builder_.multiply(a, b), (*z)[component]);
        return builder_.fma(a, b, (*z)[component]);
    };
    if (components_ == 1) return {plus(x[0], y[0], 0), ir::no_value};
    return {builder_.fnma(x[1], y[1], plus(x[0], y[0], 0)), builder_.fma(x[1], y[0], plus(x[0], y[1], 1))};
}

Components TileWriter::updated(const TileResult& c, Update update, const Components& accumulators,
                               const Components& alpha, const Components& beta, const Components& before) {
    if (update == Update::overwrite) return c.is_plain ? accumulators : product(accumulators, alpha, nullptr);
    const Components kept = update == Update::add ? before : product(before, beta, nullptr);
    if (!c.is_plain) return product(accumulators, alpha, &kept);
    Components result{builder_.add(accumulators[0], kept[0]), ir::no_value};
    if (components_ == 2) result[1] = builder_.add(accumulators[1], kept[1]);
    return result;
}

void TileWriter::update(const TileResult& c, Update update) {
    if (is_looping_) load_accumulators();
    const Components alpha = c.is_plain ? Components{} : broadcast_scalar(c.alpha, 0);
    const Components beta = update == Update::scale ? broadcast_scalar(c.beta, c.beta_offset) : Components{};
    for (int column = 0; column < columns_; ++column) {
        const Value start = column_start(c, column);
        for (int vector = 0; vector < vectors_; ++vector) {
            const Components accumulators{accumulator(0, vector, column),
                                          components_ == 2 ? accumulator(1, vector, column) : ir::no_value};
            const Components before =
                update == Update::overwrite ? Components{} : load_c(c, vector, column, start);
            Components elements = updated(c, update, accumulators, alpha, beta, before);
            if (c.epilogue != nullptr)
                elements = apply_epilogue(
                    builder_, *c.epilogue,
                    {c.first_row + vector * type_.lanes, c.first_column + column, active(vector)}, elements);
            store_c(c, vector, column, start, elements);
        }
    }
}

/// Start of a column of C, if known only at run time.
ir::Value TileWriter::column_start(const TileResult& c, int column) {
    if (c.column_stride.is_constant()) return ir::no_value;
    return builder_.multiply(builder_.index(c.column_stride), builder_.index(c.columns_before + column));
}

Affine TileWriter::c_offset(const TileResult& c, int vector, int column) const {
    const Affine offset = c.origin + c.row_stride * components_ * vector * type_.lanes;
    if (!c.column_stride.is_constant()) return offset;
    return offset + (c.columns_before + column) * c.column_stride.constant();
}

void TileWriter::prefetch(const TileResult& c) {
    const Integer scalars = components_ * rows_ * c.row_stride;
    for (int column = 0; column < columns_; ++column) {
        const Value start = column_start(c, column);
        const Affine first = c_offset(c, 0, column);
        for (Integer at = 0; at < scalars; at += scalars_per_cache_line(type_.scalar))
            builder_.prefetch(c.buffer, first + at, start);
        builder_.prefetch(c.buffer, first + (scalars - 1), start);
    }
}

Components TileWriter::load_c(const TileResult& c, int vector, int column, Value start) {
    const Affine offset = c_offset(c, vector, column);
    if (components_ == 2) return load_pairs(builder_, c.buffer, offset, type_.lanes, active(vector), start);
    return {
        builder_.load(
            c.buffer, offset,
            {.lanes = type_.lanes, .lane_stride = c.row_stride, .active = active(vector), .dynamic = start}),
        ir::no_value};
}

void TileWriter::store_c(const TileResult& c, int vector, int column, Value start,
                         const Components& components) {
    const Affine offset = c_offset(c, vector, column);
    if (components_ == 2) return store_pairs(builder_, c.buffer, offset, components, active(vector), start);
    const bool is_finished = builder_.type(components[0]).scalar != type_.scalar;
    builder_.store(
        is_finished ? c.finished : c.buffer, offset, components[0],
        {.lanes = type_.lanes, .lane_stride = c.row_stride, .active = active(vector), .dynamic = start});
}

} // namespace swirl::gemm
