#include "gemm/tile_writer.hpp"

#include "base/integer.hpp"
#include "target/x86/dot_products.hpp"

#include <algorithm>
#include <utility>

namespace swirl::gemm {

TileWriter::TileWriter(ir::Builder& builder, Number number, int lanes, int rows, int columns, ir::Buffer sums,
                       const Grouping& grouping)
    : builder_(builder),
      parts_(scalars_in(number)),
      rows_(rows),
      columns_(columns),
      vectors_((rows + lanes - 1) / lanes),
      type_{scalar_of(number), lanes},
      grouping_(grouping),
      in_registers_(sums),
      sums_(static_cast<std::size_t>(parts_ * vectors_ * columns), builder.constant(type_, 0)) {}

int TileWriter::active(int vector) const { return std::min(type_.lanes, rows_ - vector * type_.lanes); }

ir::Value& TileWriter::sum(int part, int vector, int column) {
    return sums_[static_cast<std::size_t>((column * vectors_ + vector) * parts_ + part)];
}

void TileWriter::load_sums() {
    for (std::size_t at = 0; at < sums_.size(); ++at)
        sums_[at] = builder_.load(in_registers_, place(at), {.lanes = type_.lanes});
}

void TileWriter::store_sums() {
    for (std::size_t at = 0; at < sums_.size(); ++at)
        builder_.store(in_registers_, place(at), sums_[at], {.lanes = type_.lanes});
}

void TileWriter::clear() {
    is_looping_ = true;
    store_sums();
}

void TileWriter::start_from(ir::Buffer buffer, const Affine& first) {
    for (int column = 0; column < columns_; ++column) {
        const Value start = builder_.splat(builder_.load(buffer, first + column), type_.lanes);
        for (int vector = 0; vector < vectors_; ++vector) sum(0, vector, column) = start;
    }
    clear();
}

void TileWriter::multiply(const TileOperand& a, const TileOperand& b, const Affine& begin, const Affine& end,
                          int unroll, const TileAhead& ahead) {
    const Integer ahead_stride = ceil_divide(scalars_in_line(type_.scalar), unroll);
    builder_.for_loop("k", begin, end, unroll, ir::For::Kind::serial, [&](const Affine& k) {
        load_sums();
        if (ahead.is_wanted) builder_.prefetch(ahead.buffer, ahead_stride * k);
        for (int step = 0; step < unroll; ++step) multiply_step(a, b, k + step);
        store_sums();
    });
}

void TileWriter::multiply_straight(const TileOperand& a, const TileOperand& b, const Affine& begin,
                                   int steps) {
    if (is_looping_) load_sums();
    for (int step = 0; step < steps; ++step) multiply_step(a, b, begin + step);
    if (is_looping_) store_sums();
}

/// The outer product of a column of A and a row of B.
void TileWriter::multiply_step(const TileOperand& a, const TileOperand& b, const Affine& k) {
    if (a.prefetch_rows > 0)
        for (Integer row = 0; row < (a.is_padded ? a.depth_stride : rows_);
             row += scalars_in_line(type_.scalar))
            builder_.prefetch(a.buffer, a.origin + a.depth_stride * k + (a.prefetch_rows + row));
    std::vector<Parts> rows;
    for (int vector = 0; vector < vectors_; ++vector) {
        Parts& row = rows.emplace_back();
        for (int part = 0; part < parts_; ++part)
            row[static_cast<std::size_t>(part)] = builder_.load(
                a.buffer, a.origin + a.depth_stride * k + (part * a.part_stride + vector * type_.lanes),
                {.lanes = type_.lanes, .active = a.is_padded ? type_.lanes : active(vector)});
    }
    for (int column = 0; column < columns_; ++column)
        for (int part = 0; part < parts_; ++part) {
            const Value factor =
                builder_.splat(builder_.load(b.buffer, b.origin + b.depth_stride * k +
                                                           (part * b.part_stride + column * b.stride)),
                               type_.lanes);
            for (int vector = 0; vector < vectors_; ++vector)
                multiply_add(rows[static_cast<std::size_t>(vector)], factor, part, part == 1 && b.conjugated,
                             vector, column);
        }
}

/// sum += row · the real (part 0) or imaginary part of a number of B.
void TileWriter::multiply_add(const Parts& row, Value factor, int part, bool negated, int vector,
                              int column) {
    for (int of_row = 0; of_row < parts_; ++of_row) {
        Value& target = sum(part ^ of_row, vector, column);
        const Value a = row[static_cast<std::size_t>(of_row)];
        if (!grouping_.is_plain()) {
            target = dot_product(a, factor, target);
            continue;
        }
        const bool subtracts = (part == 1 && of_row == 1) != negated;
        target = subtracts ? builder_.fnma(a, factor, target) : builder_.fma(a, factor, target);
    }
}

/// Of the groups of some rows and of a column.
ir::Value TileWriter::dot_product(Value row, Value factor, Value sum) {
    using namespace target::x86;
    const int lanes = type_.lanes;
    if (grouping_.method == Method::int16_pairs)
        return builder_.add(sum, builder_.instruction(dot_product_of_int16(lanes), {row, factor}));
    if (grouping_.method == Method::bfloat16_pairs)
        return builder_.instruction(dot_product_of_bfloat16(lanes), {sum, row, factor});
    if (grouping_.b_is_unsigned) std::swap(row, factor);
    return builder_.instruction(dot_product_of_bytes(lanes), {sum, row, factor});
}

Parts TileWriter::factor(ir::Buffer buffer, Integer place) {
    Parts parts{ir::no_value, ir::no_value};
    for (int part = 0; part < parts_; ++part)
        parts[static_cast<std::size_t>(part)] =
            builder_.splat(builder_.load(buffer, place + part), type_.lanes);
    return parts;
}

/// x·y + z, or x·y where there is no z.
Parts TileWriter::product(const Parts& x, const Parts& y, const Parts* z) {
    const auto plus = [&](Value a, Value b, std::size_t part) {
        if (z == nullptr) return builder_.multiply(a, b);
        if (!ir::is_floating(type_.scalar)) return builder_.add(builder_.multiply(a, b), (*z)[part]);
        return builder_.fma(a, b, (*z)[part]);
    };
    if (parts_ == 1) return {plus(x[0], y[0], 0), ir::no_value};
    return {builder_.fnma(x[1], y[1], plus(x[0], y[0], 0)), builder_.fma(x[1], y[0], plus(x[0], y[1], 1))};
}

Parts TileWriter::updated(const TileResult& c, Update update, const Parts& sums, const Parts& alpha,
                          const Parts& beta, const Parts& before) {
    if (update == Update::overwrite) return c.is_plain ? sums : product(sums, alpha, nullptr);
    const Parts kept = update == Update::add ? before : product(before, beta, nullptr);
    if (!c.is_plain) return product(sums, alpha, &kept);
    Parts result{builder_.add(sums[0], kept[0]), ir::no_value};
    if (parts_ == 2) result[1] = builder_.add(sums[1], kept[1]);
    return result;
}

void TileWriter::update(const TileResult& c, Update update) {
    if (is_looping_) load_sums();
    const Parts alpha = c.is_plain ? Parts{} : factor(c.alpha, 0);
    const Parts beta = update == Update::scale ? factor(c.beta, c.beta_place) : Parts{};
    for (int column = 0; column < columns_; ++column) {
        const Value start = column_start(c, column);
        for (int vector = 0; vector < vectors_; ++vector) {
            const Parts sums{sum(0, vector, column), parts_ == 2 ? sum(1, vector, column) : ir::no_value};
            const Parts before = update == Update::overwrite ? Parts{} : load_c(c, vector, column, start);
            Parts elements = updated(c, update, sums, alpha, beta, before);
            if (c.epilogue != nullptr)
                elements = apply_epilogue(
                    builder_, *c.epilogue,
                    {c.first_row + vector * type_.lanes, c.first_column + column, active(vector)}, elements);
            store_c(c, vector, column, start, elements);
        }
    }
}

/// Where a column of C begins, where that is known only when the kernel runs.
ir::Value TileWriter::column_start(const TileResult& c, int column) {
    if (c.column_stride.is_constant()) return ir::no_value;
    return builder_.multiply(builder_.index(c.column_stride), builder_.index(c.columns_before + column));
}

Affine TileWriter::place_in(const TileResult& c, int vector, int column) const {
    const Affine place = c.origin + Integer{parts_} * vector * type_.lanes;
    if (!c.column_stride.is_constant()) return place;
    return place + (c.columns_before + column) * c.column_stride.constant();
}

void TileWriter::prefetch(const TileResult& c) {
    const Integer scalars = parts_ * rows_;
    for (int column = 0; column < columns_; ++column) {
        const Value start = column_start(c, column);
        const Affine first = place_in(c, 0, column);
        for (Integer at = 0; at < scalars; at += scalars_in_line(type_.scalar))
            builder_.prefetch(c.buffer, first + at, start);
        builder_.prefetch(c.buffer, first + (scalars - 1), start);
    }
}

Parts TileWriter::load_c(const TileResult& c, int vector, int column, Value start) {
    const Affine place = place_in(c, vector, column);
    if (parts_ == 2) return load_pairs(builder_, c.buffer, place, type_.lanes, active(vector), start);
    return {
        builder_.load(c.buffer, place, {.lanes = type_.lanes, .active = active(vector), .dynamic = start}),
        ir::no_value};
}

void TileWriter::store_c(const TileResult& c, int vector, int column, Value start, const Parts& parts) {
    const Affine place = place_in(c, vector, column);
    if (parts_ == 2) return store_pairs(builder_, c.buffer, place, parts, active(vector), start);
    const bool is_finished = builder_.type(parts[0]).scalar != type_.scalar;
    builder_.store(is_finished ? c.finished : c.buffer, place, parts[0],
                   {.lanes = type_.lanes, .active = active(vector), .dynamic = start});
}

} // namespace swirl::gemm
