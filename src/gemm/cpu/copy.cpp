#include "gemm/cpu/copy.hpp"

#include "gemm/complex_lanes.hpp"
#include "gemm/scalar.hpp"
#include "gemm/square.hpp"
#include "ir/builder.hpp"

namespace swirl::gemm {

namespace {

using ir::Value;

class CopyWriter {
public:
    explicit CopyWriter(const MatrixCopy& copy)
        : copy_(copy),
          components_(scalars_in(copy.data_type)),
          // only moved, as any type of their size
          scalar_(bytes_of(copy.data_type) == 4 ? DataType::float32 : scalar_of(copy.data_type)) {
        constexpr Integer most = Integer{1} << 57;
        from_ = builder_.input("source", scalar_, most, {ir::ArgumentRole::input});
        to_ = builder_.output("copy", scalar_, most, {ir::ArgumentRole::output});
    }

    ir::Program write() {
        const Affine whole_rows = builder_.parameter("whole_rows");
        rows_ = builder_.parameter("rows");
        const Affine whole_columns = builder_.parameter("whole_columns"),
                     columns = builder_.parameter("columns");
        row_stride_ = builder_.parameter("row_stride");
        column_stride_ = builder_.parameter("column_stride");
        switch (copy_.source) {
        case MatrixCopy::Source::by_columns:
            builder_.for_loop("column", columns, [&](const Affine& column) {
                over(0, whole_rows, copy_.lanes, [&](const Affine& row) { copy_vector(row, column); });
                over(whole_rows, rows_, 1, [&](const Affine& row) { copy_element(row, column); });
            });
            break;
        case MatrixCopy::Source::by_rows:
            over(0, whole_columns, copy_.lanes, [&](const Affine& column) {
                over(0, whole_rows, copy_.lanes, [&](const Affine& row) { copy_square(row, column); });
            });
            copy_elements(0, whole_rows, whole_columns, columns);
            copy_elements(whole_rows, rows_, 0, columns);
            break;
        case MatrixCopy::Source::neither: copy_elements(0, rows_, 0, columns); break;
        }
        return builder_.finish();
    }

private:
    template <class F> void over(const Affine& begin, const Affine& end, int step, F&& body) {
        builder_.for_loop("at", begin, end, step, ir::For::Kind::serial, body);
    }
    Value product(const Affine& stride, const Affine& index) {
        return builder_.multiply(builder_.index(components_ * stride), builder_.index(index));
    }
    Components get(Value start, const Affine& at, int lanes) {
        Components values{ir::no_value, ir::no_value};
        if (components_ == 2)
            values = load_pairs(builder_, from_, 2 * at, lanes, lanes, start);
        else
            values[0] = builder_.load(from_, at, {.lanes = lanes, .dynamic = start});
        if (copy_.conjugated && components_ == 2) values[1] = builder_.negate(values[1]);
        return values;
    }
    void put(const Affine& row, const Affine& column, const Components& values, int lanes) {
        const Value start = product(rows_, column);
        if (components_ == 2)
            store_pairs(builder_, to_, 2 * row, values, lanes, start);
        else
            builder_.store(to_, row, values[0], {.lanes = lanes, .dynamic = start});
    }

    void copy_vector(const Affine& row, const Affine& column) {
        put(row, column, get(product(column_stride_, column), row, copy_.lanes), copy_.lanes);
    }
    void copy_square(const Affine& row, const Affine& column) {
        SquareLines rows;
        for (int k = 0; k < copy_.lanes; ++k)
            rows.push_back(get(product(row_stride_, row + k), column, copy_.lanes));
        const SquareLines columns = transposed(builder_, rows, copy_.lanes);
        for (int k = 0; k < copy_.lanes; ++k)
            put(row, column + k, columns[static_cast<std::size_t>(k)], copy_.lanes);
    }
    void copy_element(const Affine& row, const Affine& column) {
        const Value start = builder_.add(product(row_stride_, row), product(column_stride_, column));
        put(row, column, get(start, 0, 1), 1);
    }
    void copy_elements(const Affine& first_row, const Affine& last_row, const Affine& first_column,
                       const Affine& last_column) {
        over(first_column, last_column, 1, [&](const Affine& column) {
            over(first_row, last_row, 1, [&](const Affine& row) { copy_element(row, column); });
        });
    }

    const MatrixCopy& copy_;
    int components_;
    DataType scalar_;
    ir::Builder builder_{"gemm_copy"};
    ir::Buffer from_ = 0, to_ = 0;
    Affine rows_, row_stride_, column_stride_;
};

} // namespace

ir::Program matrix_copy(const MatrixCopy& copy) { return CopyWriter(copy).write(); }

} // namespace swirl::gemm
