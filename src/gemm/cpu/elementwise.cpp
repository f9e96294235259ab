#include "gemm/cpu/elementwise.hpp"

#include "base/error.hpp"
#include "gemm/reduction.hpp"
#include "ir/builder.hpp"
#include "problem/data_type.hpp"

#include <algorithm>
#include <vector>

namespace swirl::gemm {

namespace {

using ir::Value;

/// A column in a group that is computed at once.
struct Column {
    Affine index;
    Value elements = ir::no_value; ///< offset of its first element
    Value results = ir::no_value;
};

/// What an integer or normalised type holds: integers scale·x for least ≤ x ≤ greatest.
struct IntegerRange {
    long double least = 0, greatest = 0, scale = 1;

    explicit IntegerRange(DataType type) {
        const DataType integer = scalar_of(type);
        const bool is_signed = integer == DataType::int8 || integer == DataType::int16;
        const long double most =
            static_cast<long double>((1 << (8 * bytes_of(integer) - (is_signed ? 1 : 0))) - 1);
        least = is_signed ? -most - 1 : 0;
        greatest = most;
        if (integer == type) return;
        least = is_signed ? -1 : 0;
        greatest = 1;
        scale = most;
    }
};

class ElementwiseWriter {
public:
    explicit ElementwiseWriter(const ElementwiseKernel& kernel)
        : kernel_(kernel),
          stored_(std::get_if<StoredElements>(&kernel.result)),
          reduced_(std::get_if<ReducedElements>(&kernel.result)),
          builder_(name_of(kernel)),
          components_(scalars_in(kernel.data_type)) {}

    ir::Program write() {
        add_buffers();
        const Affine rows = builder_.parameter("rows"), whole_columns = builder_.parameter("whole_columns"),
                     columns = builder_.parameter("columns");
        column_stride_ = builder_.parameter("column_stride");
        if (stored_ != nullptr) result_stride_ = column_stride_;
        if (stored_ != nullptr && !is_in_place()) result_stride_ = builder_.parameter("result_stride");
        const auto each_group = [&](const Affine& begin, const Affine& end, int count) {
            builder_.for_loop("column", begin, end, count, ir::For::Kind::serial, [&](const Affine& column) {
                write_columns(columns_from(column, count), rows);
            });
        };
        each_group(0, whole_columns, kernel_.columns_at_once);
        if (kernel_.columns_at_once > 1) each_group(whole_columns, columns, 1);
        return builder_.finish();
    }

private:
    static const char* name_of(const ElementwiseKernel& kernel) {
        if (std::holds_alternative<ReducedElements>(kernel.result)) return "gemm_reduce";
        if (!kernel.expression.is_identity()) return "gemm_epilogue";
        switch (beta_term(kernel)) {
        case BetaTerm::none:
        case BetaTerm::adds_c: return "gemm_store";
        case BetaTerm::scales_x: return "gemm_scale";
        case BetaTerm::clears_x: return "gemm_clear";
        }
        throw InternalError("a term of β without a name");
    }
    bool is_in_place() const { return !has_results(kernel_); }
    bool is_over_rows() const { return reduced_ != nullptr && reduced_->over != Over::columns; }
    int vectors() const { return rows_at_once(kernel_) / kernel_.lanes; }
    /// Elements of vector `vector` among the last rows.
    int active_in_rest(int vector) const {
        return std::clamp(kernel_.rest - vector * kernel_.lanes, 0, kernel_.lanes);
    }
    ir::Type partial_type() const { return {DataType::float64, kernel_.lanes}; }

    ir::Buffer add(std::string name, DataType data_type, Integer row_stride, bool is_written,
                   const ir::Role& role) {
        const Integer components = scalars_in(data_type);
        const Integer down = (kernel_.max_rows - 1) * row_stride,
                      across = (kernel_.max_columns - 1) * kernel_.max_stride;
        ir::BufferInfo buffer;
        buffer.name = std::move(name);
        buffer.role = role;
        buffer.element = scalar_of(data_type);
        buffer.first = components * (std::min<Integer>(down, 0) - across);
        buffer.elements = components * (std::max<Integer>(down, 0) + across + 1) - buffer.first;
        buffer.written = is_written;
        return builder_.add(std::move(buffer));
    }
    void add_buffers() {
        elements_ = results_ =
            add("elements", kernel_.data_type, kernel_.row_stride, is_in_place(), {ir::ArgumentRole::c});
        if (reduced_ != nullptr)
            results_ =
                builder_.output("results", DataType::float64, std::max(kernel_.max_rows, kernel_.max_columns),
                                {ir::ArgumentRole::reduction});
        else if (!is_in_place())
            results_ = add("results", stored_->type, stored_->row_stride, true, {ir::ArgumentRole::c});
        if (reads_beta(kernel_))
            beta_ =
                builder_.input("beta", scalar_of(kernel_.data_type), components_, {ir::ArgumentRole::beta});
        if (!kernel_.expression.is_identity())
            operands_ = EpilogueBuffers(builder_, kernel_.data_type, kernel_.expression, kernel_.max_rows,
                                        kernel_.max_columns);
        if (stored_ != nullptr && !kernel_.has_fma)
            halves_ = builder_.local("bfloat16_pairs", DataType::float32, kernel_.lanes);
        if (!is_over_rows()) return;
        const Integer partials = Integer{partials_in_column} * kernel_.columns_at_once;
        partials_ = builder_.local("partials", DataType::float64, partials);
        finished_ = builder_.local("epilogue_output", DataType::float64, partials);
    }

    std::vector<Column> columns_from(const Affine& first, int count) {
        std::vector<Column> columns;
        for (int k = 0; k < count; ++k) {
            Column column{.index = first + k};
            const Value index = builder_.index(column.index);
            column.elements = builder_.multiply(builder_.index(components_ * column_stride_), index);
            column.results = column.elements;
            if (stored_ != nullptr && !is_in_place())
                column.results = builder_.multiply(
                    builder_.index(Integer{scalars_in(stored_->type)} * result_stride_), index);
            columns.push_back(column);
        }
        return columns;
    }

    void write_columns(const std::vector<Column>& columns, const Affine& rows) {
        if (is_over_rows()) clear_partials(columns.size());
        if (!kernel_.has_rest_only)
            builder_.for_loop("row", 0, rows, rows_at_once(kernel_), ir::For::Kind::serial,
                              [&](const Affine& row) {
                                  for (int vector = 0; vector < vectors(); ++vector)
                                      write_vector(columns, row, vector, kernel_.lanes);
                              });
        for (int vector = 0; vector < vectors(); ++vector)
            if (const int active = active_in_rest(vector); active > 0)
                write_vector(columns, kernel_.has_rest_only ? Affine(0) : rows, vector, active);
        if (is_over_rows()) finish_columns(columns);
    }

    /// A vector of each column, `vector` vectors below `first_row`.
    void write_vector(const std::vector<Column>& columns, const Affine& first_row, int vector, int active) {
        const Affine row = first_row + vector * kernel_.lanes;
        if (stored_ != nullptr)
            for (const Column& column : columns)
                store(column, row, active, converted(evaluated(column, row, active)));
        else if (reduced_->over == Over::columns)
            reduce_into_rows(columns, row, active);
        else
            for (std::size_t at = 0; at < columns.size(); ++at) {
                const Affine partial = partial_offset(at, vector);
                const Value before = builder_.load(partials_, partial, {.lanes = kernel_.lanes});
                const Value values =
                    without_inactive(as_partial(evaluated(columns[at], row, active)), active);
                builder_.store(partials_, partial, reduce_two(builder_, reduced_->operation, before, values),
                               {.lanes = kernel_.lanes});
            }
    }

    ir::Access access(Integer row_stride, int active, Value dynamic) const {
        return {.lanes = kernel_.lanes,
                .lane_stride = kernel_.lanes > 1 ? row_stride : 1,
                .active = active,
                .dynamic = dynamic};
    }
    Components loaded_from(ir::Buffer buffer, Integer row_stride, const Affine& row, int active,
                           Value column) {
        const Affine index = components_ * row_stride * row;
        if (components_ == 2 && row_stride == 1)
            return load_pairs(builder_, buffer, index, kernel_.lanes, active, column);
        const ir::Access each = access(components_ * row_stride, active, column);
        const Value first = builder_.load(buffer, index, each);
        return {first, components_ == 2 ? builder_.load(buffer, index + 1, each) : ir::no_value};
    }
    Components evaluated(const Column& column, const Affine& row, int active) {
        return apply_epilogue(builder_, operands_, {row, column.index, active},
                              with_beta(column, row, active));
    }
    /// The element, with the term of β.
    Components with_beta(const Column& column, const Affine& row, int active) {
        const BetaTerm term = beta_term(kernel_);
        if (term == BetaTerm::clears_x) {
            const Value zero = builder_.constant({scalar_of(kernel_.data_type), kernel_.lanes}, 0);
            return {zero, components_ == 2 ? zero : ir::no_value};
        }
        const Components x = loaded_from(elements_, kernel_.row_stride, row, active, column.elements);
        if (term == BetaTerm::none) return x;
        if (term == BetaTerm::scales_x) return times_beta(x);
        const Components c =
            times_beta(loaded_from(results_, stored_->row_stride, row, active, column.results));
        if (components_ == 1) return {builder_.add(x[0], c[0]), ir::no_value};
        return {builder_.add(x[0], c[0]), builder_.add(x[1], c[1])};
    }
    Components times_beta(const Components& x) {
        const auto product = [&](std::size_t of_beta, std::size_t of_x) {
            const Value factor =
                builder_.splat(builder_.load(beta_, static_cast<Integer>(of_beta)), kernel_.lanes);
            return builder_.multiply(factor, x[of_x]);
        };
        if (components_ == 1) return {product(0, 0), ir::no_value};
        const Value first = product(0, 0), real = builder_.subtract(first, product(1, 1));
        const Value second = product(0, 1), imaginary = builder_.add(second, product(1, 0));
        return {real, imaginary};
    }
    void store(const Column& column, const Affine& row, int active, const Components& values) {
        const Integer components = scalars_in(stored_->type);
        const Affine index = components * stored_->row_stride * row;
        if (components == 2 && stored_->row_stride == 1)
            return store_pairs(builder_, results_, index, values, active, column.results);
        const ir::Access each = access(components * stored_->row_stride, active, column.results);
        builder_.store(results_, index, values[0], each);
        if (components == 2) builder_.store(results_, index + 1, values[1], each);
    }
    // ---- conversions

    Value constant(long double value) { return builder_.constant({DataType::float32, kernel_.lanes}, value); }
    Components converted(const Components& values) {
        const DataType to = scalar_of(stored_->type), from = builder_.type(values[0]).scalar;
        if (from == to) return values;
        if (is_floating(to)) return {builder_.convert(values[0], to), ir::no_value};
        ensure(from == DataType::float32, "elements of {} stored as {}", swirl::name_of(from),
               swirl::name_of(stored_->type));
        const Value integer =
            builder_.convert(rounded(values[0], IntegerRange(stored_->type)), DataType::int32);
        return {builder_.convert(integer, to), ir::no_value};
    }
    /// scale·x, clamped to the range, as the nearest integer, ties to even; 0 for NaN.
    Value rounded(Value x, const IntegerRange& range) {
        constexpr long double rounder = 0x1.8p23L; // a float32 near it is an integer
        const Value zero = constant(0);
        Value kept = builder_.select(builder_.less(zero, x), x, zero); // not NaN
        if (range.least < 0) {
            const Value least = constant(range.least);
            kept = builder_.select(builder_.less(x, zero), x, kept);
            kept = builder_.select(builder_.less(kept, least), least, kept);
        }
        const Value greatest = constant(range.greatest);
        kept = builder_.select(builder_.less(greatest, kept), greatest, kept);
        if (range.scale == 1)
            return builder_.subtract(builder_.add(kept, constant(rounder)), constant(rounder));
        if (!kernel_.has_fma) return rounded_in_float64(kept, range.scale);
        return builder_.subtract(builder_.fma(kept, constant(range.scale), constant(rounder)),
                                 constant(rounder));
    }
    /// Products of float32 with a scale are exact in float64. Halves of the vector pass through memory.
    Value rounded_in_float64(Value x, long double scale) {
        constexpr long double rounder = 0x1.8p52L;
        const int half = std::max(1, kernel_.lanes / 2);
        const ir::Type type{DataType::float64, half};
        builder_.store(halves_, 0, x, {.lanes = kernel_.lanes});
        for (int first = 0; first < kernel_.lanes; first += half) {
            const Value wide =
                builder_.convert(builder_.load(halves_, first, {.lanes = half}), DataType::float64);
            const Value scaled = builder_.multiply(wide, builder_.constant(type, scale));
            const Value near = builder_.add(scaled, builder_.constant(type, rounder));
            const Value integer = builder_.subtract(near, builder_.constant(type, rounder));
            builder_.store(halves_, first, builder_.convert(integer, DataType::float32), {.lanes = half});
        }
        return builder_.load(halves_, 0, {.lanes = kernel_.lanes});
    }

    // ---- reductions

    Value as_partial(const Components& values) {
        return builder_.type(values[0]).scalar == DataType::float64
                   ? values[0]
                   : builder_.convert(values[0], DataType::float64);
    }
    /// Lanes beyond the last row become neutral.
    Value without_inactive(Value values, int active) {
        if (active == kernel_.lanes) return values;
        ir::LaneMap map;
        for (int lane = 0; lane < kernel_.lanes; ++lane)
            map.push_back(static_cast<std::int8_t>(lane < active ? lane : kernel_.lanes + lane));
        return builder_.shuffle(values, identity_of(builder_, partial_type(), reduced_->operation), map);
    }
    Affine partial_offset(std::size_t column, int vector) const {
        return static_cast<Integer>(column) * partials_in_column + vector * kernel_.lanes;
    }
    void clear_partials(std::size_t columns) {
        const Value identity = identity_of(builder_, partial_type(), reduced_->operation);
        for (std::size_t at = 0; at < columns; ++at)
            for (int vector = 0; vector < vectors(); ++vector)
                builder_.store(partials_, partial_offset(at, vector), identity, {.lanes = kernel_.lanes});
    }
    /// Combines the columns' partials with their results, one after the other.
    void finish_columns(const std::vector<Column>& columns) {
        for (std::size_t at = 0; at < columns.size(); ++at)
            for (int vector = 0; vector < vectors(); ++vector) {
                const Affine partial = partial_offset(at, vector);
                builder_.store(finished_, partial,
                               builder_.load(partials_, partial, {.lanes = kernel_.lanes}),
                               {.lanes = kernel_.lanes});
            }
        const bool has_one = reduced_->over == Over::all;
        Value result = has_one ? builder_.load(results_, 0) : ir::no_value;
        for (std::size_t at = 0; at < columns.size(); ++at) {
            if (!has_one) result = builder_.load(results_, columns[at].index);
            for (int k = 0; k < (kernel_.has_rest_only ? kernel_.rest : partials_in_column); ++k)
                result = reduce_two(builder_, reduced_->operation, result,
                                    builder_.load(finished_, partial_offset(at, 0) + k));
            if (!has_one) builder_.store(results_, columns[at].index, result);
        }
        if (has_one) builder_.store(results_, 0, result);
    }
    void reduce_into_rows(const std::vector<Column>& columns, const Affine& row, int active) {
        const ir::Access whole{.lanes = kernel_.lanes, .active = active};
        Value result = builder_.load(results_, row, whole);
        for (const Column& column : columns)
            result =
                reduce_two(builder_, reduced_->operation, result, as_partial(evaluated(column, row, active)));
        builder_.store(results_, row, result, whole);
    }

    const ElementwiseKernel& kernel_;
    const StoredElements* stored_; ///< one of these two is given
    const ReducedElements* reduced_;
    ir::Builder builder_;
    Integer components_;
    ir::Buffer elements_ = 0;
    ir::Buffer results_ = 0;
    ir::Buffer beta_ = 0;
    EpilogueBuffers operands_;
    ir::Buffer partials_ = 0; ///< of the columns computed at once, in registers where these suffice
    ir::Buffer halves_ = 0;   ///< a vector of float32
    ir::Buffer finished_ = 0; ///< the same in memory, one by one
    Affine column_stride_;
    Affine result_stride_;
};

} // namespace

int rows_at_once(const ElementwiseKernel& kernel) {
    const bool reduces = std::holds_alternative<ReducedElements>(kernel.result);
    return reduces ? std::max(partials_in_column, kernel.lanes) : kernel.lanes;
}

bool has_results(const ElementwiseKernel& kernel) {
    const StoredElements* const stored = std::get_if<StoredElements>(&kernel.result);
    return stored == nullptr || !stored->is_in_place || stored->type != kernel.data_type;
}
BetaTerm beta_term(const ElementwiseKernel& kernel) {
    const StoredElements* const stored = std::get_if<StoredElements>(&kernel.result);
    return stored == nullptr ? BetaTerm::none : stored->beta;
}
bool reads_beta(const ElementwiseKernel& kernel) {
    return beta_term(kernel) == BetaTerm::adds_c || beta_term(kernel) == BetaTerm::scales_x;
}

ir::Program elementwise(const ElementwiseKernel& kernel) { return ElementwiseWriter(kernel).write(); }

} // namespace swirl::gemm
