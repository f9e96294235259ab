#include "blas/mirror.hpp"

#include "gemm/complex_lanes.hpp"
#include "gemm/scalar.hpp"
#include "gemm/square.hpp"
#include "ir/builder.hpp"

namespace swirl::blas {

namespace {

using gemm::Components;
using ir::Value;

class MirrorWriter {
public:
    explicit MirrorWriter(const Mirror& mirror)
        : mirror_(mirror),
          components_(gemm::scalars_in(mirror.data_type)),
          lanes_(mirror.lanes),
          type_{gemm::scalar_of(mirror.data_type), lanes_} {
        const Integer most = mirror.most_rows;
        triangle_ =
            builder_.input("triangle", type_.scalar, components_ * (most + (most - 1) * mirror.max_stride),
                           {ir::ArgumentRole::a});
        both_ =
            builder_.output("both", type_.scalar, components_ * most * most, {ir::ArgumentRole::workspace});
        square_ = builder_.local("square", type_.scalar, components_ * lanes_ * lanes_);
    }

    ir::Program write() {
        rows_ = builder_.parameter("rows");
        stride_ = builder_.parameter("stride");
        builder_.for_loop("column", 0, rows_, lanes_, ir::For::Kind::serial, [&](const Affine& column) {
            write_diagonal({column, lanes_});
            if (mirror_.upper) {
                write_squares(0, column, {column, lanes_});
            } else {
                write_squares(column + lanes_, rows_, {column, lanes_});
                if (mirror_.rest > 0) write_square({rows_, mirror_.rest}, {column, lanes_});
            }
        });
        if (mirror_.rest > 0) {
            if (mirror_.upper) write_squares(0, rows_, {rows_, mirror_.rest});
            write_diagonal({rows_, mirror_.rest});
        }
        return builder_.finish();
    }

private:
    /// Successive rows or columns.
    struct Range {
        Affine first;
        int count;
    };

    bool is_complex() const { return components_ == 2; }
    /// Offset of a column with this stride.
    Value column_start(const Affine& stride, const Affine& column) {
        return builder_.multiply(builder_.index(components_ * stride), builder_.index(column));
    }
    Components get(const Affine& row, const Affine& column, int active) {
        const Value start = column_start(stride_, column);
        if (is_complex()) return gemm::load_pairs(builder_, triangle_, 2 * row, lanes_, active, start);
        return {builder_.load(triangle_, row, {.lanes = lanes_, .active = active, .dynamic = start}),
                ir::no_value};
    }
    void put(const Affine& row, const Affine& column, int active, const Components& values) {
        const Value start = column_start(rows_ + mirror_.rest, column);
        if (is_complex()) return gemm::store_pairs(builder_, both_, 2 * row, values, active, start);
        builder_.store(both_, row, values[0], {.lanes = lanes_, .active = active, .dynamic = start});
    }
    Components conjugate_if(bool wanted, Components values) {
        if (wanted && is_complex()) values[1] = builder_.negate(values[1]);
        return values;
    }
    /// Elements of the triangle in memory, and of the other, in the result.
    Components as_stored(const Components& values) { return conjugate_if(mirror_.conjugated, values); }
    Components as_mirrored(const Components& values) {
        return conjugate_if(mirror_.conjugated != mirror_.hermitian, values);
    }
    /// Whole squares of some columns, and their mirror images.
    void write_squares(const Affine& first_row, const Affine& end, const Range& columns) {
        builder_.for_loop("row", first_row, end, lanes_, ir::For::Kind::serial, [&](const Affine& row) {
            write_square({row, lanes_}, columns);
        });
    }
    void write_square(const Range& rows, const Range& columns) {
        gemm::SquareLines square;
        for (int k = 0; k < columns.count; ++k)
            square.push_back(get(rows.first, columns.first + k, rows.count));
        for (int k = 0; k < columns.count; ++k)
            put(rows.first, columns.first + k, rows.count, as_stored(square[static_cast<std::size_t>(k)]));
        const gemm::SquareLines mirrored = gemm::transposed(builder_, square, rows.count);
        for (int k = 0; k < rows.count; ++k)
            put(columns.first, rows.first + k, columns.count,
                as_mirrored(mirrored[static_cast<std::size_t>(k)]));
    }

    /// A square on the diagonal. Each column is first its whole mirror image, then the triangle's part of it.
    void write_diagonal(const Range& range) {
        gemm::SquareLines columns;
        for (int k = 0; k < range.count; ++k)
            columns.push_back(gemm::moved(builder_,
                                          get(range.first + first_row(k), range.first + k, active(k, range)),
                                          first_row(k), active(k, range), square_, k * components_ * lanes_));
        const gemm::SquareLines mirrored = gemm::transposed(builder_, columns, range.count);
        for (int k = 0; k < range.count; ++k)
            put(range.first, range.first + k, range.count,
                as_mirrored(mirrored[static_cast<std::size_t>(k)]));
        for (int k = 0; k < range.count; ++k) {
            const Affine column = range.first + k;
            put(range.first + first_row(k), column, active(k, range),
                as_stored(get(range.first + first_row(k), column, active(k, range))));
            if (mirror_.hermitian && is_complex())
                builder_.store(both_, 2 * column + 1, builder_.constant({type_.scalar, 1}, 0),
                               {.dynamic = column_start(rows_ + mirror_.rest, column)});
        }
    }
    /// The triangle's rows in column k of a square on the diagonal.
    int first_row(int k) const { return mirror_.upper ? 0 : k; }
    int active(int k, const Range& range) const { return mirror_.upper ? k + 1 : range.count - k; }
    const Mirror& mirror_;
    int components_;
    int lanes_;
    ir::Type type_;
    ir::Builder builder_{"mirror"};
    ir::Buffer triangle_ = 0, both_ = 0;
    ir::Buffer square_ = 0; ///< columns of a square on the diagonal
    Affine rows_, stride_;
};

} // namespace

ir::Program mirror(const Mirror& mirror) { return MirrorWriter(mirror).write(); }

} // namespace swirl::blas
