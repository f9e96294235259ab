#include "gemm/micro_kernel.hpp"

#include "base/error.hpp"
#include "gemm/complex_lanes.hpp"
#include "ir/builder.hpp"

#include <vector>

namespace swirl::gemm {

namespace {

using ir::Value;

/// Builds the program; parts are 0: real and 1: imaginary.
class TileBuilder {
public:
    explicit TileBuilder(const MicroKernel& kernel)
        : kernel_(kernel),
          parts_(scalars_in(kernel.number)),
          vectors_((kernel.rows + kernel.tile.lanes - 1) / kernel.tile.lanes),
          type_{scalar_of(kernel.number), kernel.tile.lanes},
          builder_("gemm_tile"),
          sums_(static_cast<std::size_t>(parts_ * vectors_ * kernel.columns)) {
        const Integer a_step = parts_ * kernel.tile.rows(), b_step = parts_ * kernel.tile.columns;
        a_ = builder_.input("a", type_.scalar, kernel.most_depth * a_step);
        b_ = builder_.input("b", type_.scalar, kernel.most_depth * b_step);
        c_ = builder_.output("c", type_.scalar, parts_ * kernel.rows);
        factors_ = builder_.input("factors", type_.scalar, 2 * parts_);
        in_registers_ = builder_.local("sums", type_.scalar, static_cast<Integer>(sums_.size()) * type_.lanes);
    }

    ir::Program build() {
        const Affine steps = builder_.parameter("steps"), depth = builder_.parameter("depth");
        column_stride_ = builder_.parameter("column_stride");
        for (std::size_t sum = 0; sum < sums_.size(); ++sum) sums_[sum] = builder_.constant(type_, 0);
        store_sums();
        multiply(0, steps, kernel_.unroll);
        if (kernel_.unroll > 1) multiply(steps, depth, 1);
        load_sums();
        update();
        return builder_.finish();
    }

private:
    Value& sum(int part, int vector, int column) {
        return sums_[static_cast<std::size_t>((column * vectors_ + vector) * parts_ + part)];
    }
    Affine place(std::size_t sum) const { return static_cast<Integer>(sum) * type_.lanes; }
    void load_sums() {
        for (std::size_t at = 0; at < sums_.size(); ++at)
            sums_[at] = builder_.load(in_registers_, place(at), {.lanes = type_.lanes});
    }
    void store_sums() {
        for (std::size_t at = 0; at < sums_.size(); ++at)
            builder_.store(in_registers_, place(at), sums_[at], {.lanes = type_.lanes});
    }

    void multiply(const Affine& begin, const Affine& end, int unroll) {
        builder_.for_loop("k", begin, end, unroll, ir::For::Kind::serial, [&](const Affine& k) {
            load_sums();
            for (int step = 0; step < unroll; ++step) multiply_step(k + step);
            store_sums();
        });
    }

    /// The outer product of a column of A's panel and a row of B's.
    void multiply_step(const Affine& k) {
        std::vector<Parts> rows;
        for (int vector = 0; vector < vectors_; ++vector) {
            Parts& row = rows.emplace_back();
            for (int part = 0; part < parts_; ++part)
                row[static_cast<std::size_t>(part)] = builder_.load(
                    a_,
                    parts_ * kernel_.tile.rows() * k + part * kernel_.tile.rows() + vector * type_.lanes,
                    {.lanes = type_.lanes});
        }
        for (int column = 0; column < kernel_.columns; ++column)
            for (int part = 0; part < parts_; ++part) {
                const Value factor = builder_.splat(
                    builder_.load(b_, parts_ * kernel_.tile.columns * k + part * kernel_.tile.columns + column),
                    type_.lanes);
                for (int vector = 0; vector < vectors_; ++vector)
                    multiply_add(rows[static_cast<std::size_t>(vector)], factor, part, vector, column);
            }
    }

    /// sum += row · the real (part 0) or imaginary part of a number of B.
    void multiply_add(const Parts& row, Value factor, int part, int vector, int column) {
        for (int of_row = 0; of_row < parts_; ++of_row) {
            Value& target = sum(part ^ of_row, vector, column);
            const Value a = row[static_cast<std::size_t>(of_row)];
            target = part == 1 && of_row == 1 ? builder_.fnma(a, factor, target)
                                              : builder_.fma(a, factor, target);
        }
    }

    Parts factor(int which) {
        Parts parts{ir::no_value, ir::no_value};
        for (int part = 0; part < parts_; ++part)
            parts[static_cast<std::size_t>(part)] =
                builder_.splat(builder_.load(factors_, which * parts_ + part), type_.lanes);
        return parts;
    }

    /// x·y + z, or x·y where there is no z.
    Parts product(const Parts& x, const Parts& y, const Parts* z) {
        const auto plus = [&](Value a, Value b, std::size_t part) {
            return z ? builder_.fma(a, b, (*z)[part]) : builder_.multiply(a, b);
        };
        if (parts_ == 1) return {plus(x[0], y[0], 0), ir::no_value};
        return {builder_.fnma(x[1], y[1], plus(x[0], y[0], 0)), builder_.fma(x[1], y[0], plus(x[0], y[1], 1))};
    }

    void update() {
        const Parts alpha = factor(0);
        const Parts beta = kernel_.update == Update::scale ? factor(1) : Parts{};
        const Value stride = builder_.index(parts_ * column_stride_);
        for (int column = 0; column < kernel_.columns; ++column) {
            const Value at = builder_.multiply(
                stride, builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(column)));
            for (int vector = 0; vector < vectors_; ++vector) {
                const int first = vector * type_.lanes;
                const int active = std::min(type_.lanes, kernel_.rows - first);
                const Parts sums{sum(0, vector, column),
                                 parts_ == 2 ? sum(1, vector, column) : ir::no_value};
                Parts result;
                if (kernel_.update == Update::overwrite) {
                    result = product(sums, alpha, nullptr);
                } else {
                    const Parts before = load_c(first, active, at);
                    const Parts kept =
                        kernel_.update == Update::add ? before : product(before, beta, nullptr);
                    result = product(sums, alpha, &kept);
                }
                store_c(first, active, at, result);
            }
        }
    }

    Parts load_c(int first, int active, Value at) {
        if (parts_ == 2) return load_pairs(builder_, c_, 2 * first, type_.lanes, active, at);
        return {builder_.load(c_, first, {.lanes = type_.lanes, .active = active, .dynamic = at}),
                ir::no_value};
    }
    void store_c(int first, int active, Value at, const Parts& parts) {
        if (parts_ == 2) return store_pairs(builder_, c_, 2 * first, parts, active, at);
        builder_.store(c_, first, parts[0], {.lanes = type_.lanes, .active = active, .dynamic = at});
    }

    const MicroKernel& kernel_;
    int parts_;
    int vectors_;
    ir::Type type_;
    ir::Builder builder_;
    ir::Buffer a_, b_, c_, factors_, in_registers_;
    Affine column_stride_;
    std::vector<Value> sums_;
};

} // namespace

ir::Program micro_kernel(const MicroKernel& kernel) {
    ensure(kernel.rows >= 1 && kernel.rows <= kernel.tile.rows() && kernel.columns >= 1 &&
               kernel.columns <= kernel.tile.columns && kernel.unroll >= 1,
           "a tile of {} by {} of {} by {}", kernel.rows, kernel.columns, kernel.tile.rows(),
           kernel.tile.columns);
    return TileBuilder(kernel).build();
}

} // namespace swirl::gemm
