#include "gemm/cpu/triangle_update.hpp"

#include "gemm/complex_lanes.hpp"
#include "ir/builder.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

using ir::Value;

class TriangleWriter {
public:
    explicit TriangleWriter(const TriangleUpdate& kernel)
        : kernel_(kernel), components_(scalars_in(kernel.data_type)), scalar_(scalar_of(kernel.data_type)) {}

    ir::Program write() {
        const Integer rows = kernel_.rows, columns = kernel_.columns;
        tile_ = builder_.input("tile", scalar_, components_ * rows * columns, {ir::ArgumentRole::workspace});
        c_ = builder_.output("c", scalar_, components_ * (rows + (columns - 1) * kernel_.max_stride),
                             {ir::ArgumentRole::c});
        const bool scales = kernel_.update == Update::scale;
        const ir::Buffer beta =
            scales ? builder_.input("beta", scalar_, components_, {ir::ArgumentRole::beta}) : ir::Buffer{};
        column_stride_ = components_ * builder_.parameter("column_stride");
        for (int component = 0; scales && component < components_; ++component)
            beta_[static_cast<std::size_t>(component)] =
                builder_.splat(builder_.load(beta, component), kernel_.lanes);
        for (int column = 0; column < kernel_.columns; ++column) write_column(column);
        return builder_.finish();
    }

private:
    /// Complex elements are multiplied as pairs, and added as any scalars.
    bool has_pairs_in_lanes() const { return components_ == 2 && kernel_.update == Update::scale; }

    void write_column(int column) {
        const CountingRows rows = counting_rows(kernel_, column);
        if (rows.first == rows.last) return;
        const Value start =
            builder_.multiply(builder_.index(column_stride_), builder_.index(Integer{column}));
        const Integer in_c = components_ * rows.first, in_tile = components_ * column * kernel_.rows + in_c;
        const Integer in_lane = has_pairs_in_lanes() ? 2 : 1; // scalars
        const Integer lanes = components_ * (rows.last - rows.first) / in_lane;
        for (Integer done = 0; done < lanes; done += kernel_.lanes) {
            const int active = static_cast<int>(std::min<Integer>(kernel_.lanes, lanes - done));
            const Integer offset = done * in_lane;
            if (has_pairs_in_lanes())
                write_pairs(in_tile + offset, in_c + offset, active, start);
            else
                write_scalars(in_tile + offset, in_c + offset, active, start);
        }
    }

    void write_scalars(Integer in_tile, Integer in_c, int active, Value start) {
        Value result = builder_.load(tile_, in_tile, {.lanes = kernel_.lanes, .active = active});
        if (kernel_.update != Update::overwrite) {
            Value before =
                builder_.load(c_, in_c, {.lanes = kernel_.lanes, .active = active, .dynamic = start});
            if (kernel_.update == Update::scale) before = builder_.multiply(before, beta_[0]);
            result = builder_.add(result, before);
        }
        builder_.store(c_, in_c, result, {.lanes = kernel_.lanes, .active = active, .dynamic = start});
    }

    /// tile + β·C.
    void write_pairs(Integer in_tile, Integer in_c, int active, Value start) {
        const Components sum = load_pairs(builder_, tile_, in_tile, kernel_.lanes, active, ir::no_value);
        const Components before = load_pairs(builder_, c_, in_c, kernel_.lanes, active, start);
        const Components result{builder_.fnma(before[1], beta_[1], builder_.fma(before[0], beta_[0], sum[0])),
                                builder_.fma(before[1], beta_[0], builder_.fma(before[0], beta_[1], sum[1]))};
        store_pairs(builder_, c_, in_c, result, active, start);
    }

    const TriangleUpdate& kernel_;
    Integer components_;
    DataType scalar_;
    ir::Builder builder_{"gemm_triangle"};
    ir::Buffer tile_ = 0, c_ = 0;
    Affine column_stride_;
    Components beta_{ir::no_value, ir::no_value}; ///< in all lanes
};

} // namespace

CountingRows counting_rows(const TriangleUpdate& kernel, int column) {
    if (kernel.triangle == Triangle::lower)
        return {std::clamp(column - kernel.diagonal, 0, kernel.rows), kernel.rows};
    return {0, std::clamp(column + kernel.diagonal + 1, 0, kernel.rows)};
}

ir::Program triangle_update(const TriangleUpdate& kernel) { return TriangleWriter(kernel).write(); }

} // namespace swirl::gemm
