#include "blas/triangle_pack.hpp"

#include "gemm/complex_lanes.hpp"
#include "gemm/complex_quotient.hpp"
#include "gemm/scalar.hpp"
#include "gemm/square.hpp"
#include "ir/builder.hpp"

#include <limits>

namespace swirl::blas {

namespace {

using gemm::Components;
using ir::Value;

/// The smallest normal number, and the larger bound for complex numbers with two components.
struct LeastReciprocals {
    long double of_one_component, of_two;

    template <class R> static LeastReciprocals of() {
        using Limits = std::numeric_limits<R>;
        return {Limits::min(), Limits::min() / Limits::epsilon()};
    }
};

class TriangleWriter {
public:
    explicit TriangleWriter(const TrianglePack& pack)
        : pack_(pack),
          layout_(pack.layout),
          components_(gemm::scalars_in(layout_.data_type)),
          lanes_(layout_.lanes),
          type_{gemm::scalar_of(layout_.data_type), lanes_} {
        const Integer elements = layout_.most_rows + (layout_.most_rows - 1) * pack.max_stride;
        matrix_ = builder_.input("matrix", type_.scalar, components_ * elements, {ir::ArgumentRole::a});
        triangle_ =
            builder_.output("triangle", type_.scalar, layout_.scalars(), {ir::ArgumentRole::workspace});
        if (inverts()) quality_ = builder_.output("quality", type_.scalar, 1, {ir::ArgumentRole::workspace});
        if (inverts()) of_lanes_ = builder_.local("of_lanes", type_.scalar, lanes_);
        if (pack.row_major && layout_.reversed)
            square_ = builder_.local("square", type_.scalar, components_ * lanes_ * lanes_);
    }

    ir::Program write() {
        rows_ = builder_.parameter("rows");
        stride_ = builder_.parameter("stride");
        if (inverts()) builder_.store(of_lanes_, 0, builder_.constant(type_, 1), {.lanes = lanes_});
        builder_.for_loop("group", 0, rows_, lanes_, ir::For::Kind::serial, [&](const Affine& first) {
            write_group({first, lanes_});
        });
        if (pack_.rest > 0) write_group({rows_, pack_.rest});
        if (inverts()) write_quality();
        return builder_.finish();
    }

private:
    /// Rows of the lower triangle that form a group.
    struct Group {
        Affine first;
        int count;
    };

    bool inverts() const { return pack_.diagonal == CopiedDiagonal::reciprocals; }
    bool reads_diagonal() const { return pack_.diagonal != CopiedDiagonal::ones; }
    Components zeros() {
        const Value zero = builder_.constant(type_, 0);
        return {zero, components_ == 2 ? zero : ir::no_value};
    }

    // ---- memory

    /// Memory's index of the first of some successive rows or columns.
    Affine in_memory(const Affine& first, int count) const {
        return layout_.reversed ? rows_ - first + (pack_.rest - count) : first;
    }
    Components conjugated(Components values) {
        if (pack_.conjugated && components_ == 2) values[1] = builder_.negate(values[1]);
        return values;
    }
    /// `active` elements of one of memory's contiguous columns (or rows), from index `at` on.
    Components get(const Affine& line, const Affine& at, int active) {
        const Value start = builder_.multiply(builder_.index(components_ * stride_), builder_.index(line));
        if (components_ == 2)
            return conjugated(gemm::load_pairs(builder_, matrix_, 2 * at, lanes_, active, start));
        return {builder_.load(matrix_, at, {.lanes = lanes_, .active = active, .dynamic = start}),
                ir::no_value};
    }
    Affine offset(const Group& group, const Affine& column) const {
        return layout_.column_scalars() / lanes_ * layout_.most_rows * group.first +
               layout_.column_scalars() * column;
    }
    /// Stores `active` elements of a group's column, from lane `lane` on.
    void put(const Group& group, const Affine& column, const Components& values, int lane, int active) {
        for (int component = 0; component < components_; ++component)
            builder_.store(triangle_, offset(group, column) + (component * lanes_ + lane),
                           values[static_cast<std::size_t>(component)], {.lanes = lanes_, .active = active});
    }
    // ---- groups

    void write_group(const Group& group) {
        const Affine row = in_memory(group.first, group.count);
        if (pack_.row_major)
            builder_.for_loop("column", 0, group.first, lanes_, ir::For::Kind::serial,
                              [&](const Affine& column) { write_square(group, row, column); });
        else
            builder_.for_loop("column", group.first, [&](const Affine& column) {
                put(group, column, get(in_memory(column, 1), row, group.count), 0, lanes_);
            });
        if (pack_.row_major)
            write_diagonal_square_of_rows(group, row);
        else
            write_diagonal_square_of_columns(group, row);
        if (pack_.diagonal == CopiedDiagonal::ones) write_ones(group);
        if (inverts()) invert_diagonal(group);
    }
    /// As many columns left of the diagonal as a vector has lanes.
    void write_square(const Group& group, const Affine& first_row, const Affine& column) {
        gemm::SquareLines rows;
        for (int row = 0; row < group.count; ++row)
            rows.push_back(get(first_row + row, in_memory(column, lanes_), lanes_));
        const gemm::SquareLines columns = gemm::transposed(builder_, rows, lanes_);
        for (int k = 0; k < lanes_; ++k)
            put(group, column + layout_.lane_of(k, lanes_), columns[static_cast<std::size_t>(k)], 0, lanes_);
    }
    /// The column of the group's triangle with this memory index.
    Affine column_of(const Group& group, int in_memory) const {
        return group.first + layout_.lane_of(in_memory, group.count);
    }
    void write_diagonal_square_of_columns(const Group& group, const Affine& first) {
        const int skipped = reads_diagonal() ? 0 : 1;
        for (int k = 0; k < group.count; ++k) {
            const int lane = layout_.reversed ? 0 : k + skipped;
            const int active = layout_.reversed ? k + 1 - skipped : group.count - lane;
            if (active > 0)
                put(group, column_of(group, k), get(first + k, first + lane, active), lane, active);
        }
    }
    void write_diagonal_square_of_rows(const Group& group, const Affine& first) {
        const int skipped = reads_diagonal() ? 0 : 1;
        gemm::SquareLines rows;
        for (int k = 0; k < group.count; ++k) {
            const int from = layout_.reversed ? k + skipped : 0;
            const int active = layout_.reversed ? group.count - from : k + 1 - skipped;
            const Components row = active > 0 ? get(first + k, first + from, active) : zeros();
            rows.push_back(gemm::moved(builder_, row, from, active, square_, k * layout_.column_scalars()));
        }
        const gemm::SquareLines columns = gemm::transposed(builder_, rows, group.count);
        for (int k = 0; k < group.count; ++k)
            put(group, column_of(group, k), columns[static_cast<std::size_t>(k)], 0, lanes_);
    }
    // ---- the diagonal

    void write_ones(const Group& group) {
        const ir::Type scalar{type_.scalar, 1};
        for (int k = 0; k < group.count; ++k)
            for (int component = 0; component < components_; ++component)
                builder_.store(
                    triangle_,
                    offset(group, group.first + k) + (component * lanes_ + layout_.lane_of(k, group.count)),
                    builder_.constant(scalar, component == 0 ? 1 : 0));
    }
    void invert_diagonal(const Group& group) {
        const ir::Access diagonal{.lanes = lanes_,
                                  .lane_stride = layout_.column_scalars() + (layout_.reversed ? -1 : 1),
                                  .active = group.count};
        const Affine first = offset(group, group.first) + layout_.lane_of(0, group.count);
        Components elements{ir::no_value, ir::no_value}, one = zeros();
        one[0] = builder_.constant(type_, 1);
        for (int component = 0; component < components_; ++component) {
            const auto at = static_cast<std::size_t>(component);
            elements[at] = with_inactive(builder_.load(triangle_, first + component * lanes_, diagonal),
                                         one[at], group.count);
        }
        const Components reciprocals = gemm::quotient(builder_, one, elements);
        for (int component = 0; component < components_; ++component)
            builder_.store(triangle_, first + component * lanes_,
                           reciprocals[static_cast<std::size_t>(component)], diagonal);
        const Value before = builder_.load(of_lanes_, 0, {.lanes = lanes_});
        builder_.store(of_lanes_, 0, builder_.multiply(before, quality_of(reciprocals, elements)),
                       {.lanes = lanes_});
    }
    /// Lanes from `active` on are those of `others`.
    Value with_inactive(Value values, Value others, int active) {
        if (active == lanes_) return values;
        ir::LaneMap map;
        for (int lane = 0; lane < lanes_; ++lane)
            map.push_back(static_cast<std::int8_t>(lane < active ? lane : lanes_ + lane));
        return builder_.shuffle(values, others, map);
    }
    /// 1 where a reciprocal is good enough, otherwise 0.
    Value quality_of(const Components& reciprocals, const Components& elements) {
        const LeastReciprocals limits = type_.scalar == DataType::float32 ? LeastReciprocals::of<float>()
                                                                          : LeastReciprocals::of<double>();
        const auto constant = [&](long double value) { return builder_.constant(type_, value); };
        const Value zero = constant(0), one = constant(1);
        Value least = constant(limits.of_one_component);
        Value largest = builder_.magnitude(reciprocals[0]), total = largest;
        if (components_ == 2) {
            const Value other = builder_.magnitude(reciprocals[1]);
            total = builder_.add(largest, other);
            largest = builder_.select(builder_.less(largest, other), other, largest);
            const Value with_real = builder_.select(builder_.less(zero, builder_.magnitude(elements[0])),
                                                    constant(limits.of_two), least);
            least = builder_.select(builder_.less(zero, builder_.magnitude(elements[1])), with_real, least);
        }
        const Value is_finite = builder_.less(total, constant(std::numeric_limits<long double>::infinity()));
        return builder_.select(builder_.less(largest, least), zero, builder_.select(is_finite, one, zero));
    }
    void write_quality() {
        Value product = builder_.load(of_lanes_, 0);
        for (int lane = 1; lane < lanes_; ++lane)
            product = builder_.multiply(product, builder_.load(of_lanes_, lane));
        builder_.store(quality_, 0, product);
    }

    const TrianglePack& pack_;
    const TriangleLayout& layout_;
    int components_;
    int lanes_;
    ir::Type type_;
    ir::Builder builder_{"pack_triangle"};
    ir::Buffer matrix_ = 0, triangle_ = 0, quality_ = 0;
    ir::Buffer of_lanes_ = 0; ///< the quality of each lane's reciprocals
    ir::Buffer square_ = 0;   ///< rows of a square on the diagonal
    Affine rows_, stride_;
};

} // namespace

ir::Program triangle_pack(const TrianglePack& pack) { return TriangleWriter(pack).write(); }

} // namespace swirl::blas
