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
        if (kernel_.has_tile)
            tile_ =
                builder_.input("tile", scalar_, components_ * rows * columns, {ir::ArgumentRole::workspace});
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
        const ir::Access in_matrix{.lanes = kernel_.lanes, .active = active, .dynamic = start};
        Value result = kernel_.has_tile
                           ? builder_.load(tile_, in_tile, {.lanes = kernel_.lanes, .active = active})
                           : builder_.constant({scalar_, kernel_.lanes}, 0);
        if (kernel_.update != Update::overwrite) {
            Value before = builder_.load(c_, in_c, in_matrix);
            if (kernel_.update == Update::scale) before = builder_.multiply(before, beta_[0]);
            result = kernel_.has_tile ? builder_.add(result, before) : before;
        }
        builder_.store(c_, in_c, result, in_matrix);
    }

    /// tile + β·C.
    void write_pairs(Integer in_tile, Integer in_c, int active, Value start) {
        const auto of_c = [&] { return load_pairs(builder_, c_, in_c, kernel_.lanes, active, start); };
        if (!kernel_.has_tile) return store_pairs(builder_, c_, in_c, times_beta(of_c()), active, start);
        const Components sum = load_pairs(builder_, tile_, in_tile, kernel_.lanes, active, ir::no_value);
        const Components before = of_c();
        const Components result{builder_.fnma(before[1], beta_[1], builder_.fma(before[0], beta_[0], sum[0])),
                                builder_.fma(before[1], beta_[0], builder_.fma(before[0], beta_[1], sum[1]))};
        store_pairs(builder_, c_, in_c, result, active, start);
    }

    /// As gemm::elementwise multiplies.
    Components times_beta(const Components& x) {
        const auto product = [&](std::size_t of_x, std::size_t of_beta) {
            return builder_.multiply(x[of_x], beta_[of_beta]);
        };
        const Value first = product(0, 0), real = builder_.subtract(first, product(1, 1));
        const Value second = product(1, 0), imaginary = builder_.add(second, product(0, 1));
        return {real, imaginary};
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
