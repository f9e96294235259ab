#include "gemm/slice_kernel.hpp"

#include "base/error.hpp"
#include "target/x86/tile_products.hpp"

#include <array>

namespace swirl::gemm {

namespace {

using ir::Value;

constexpr int register_rows = 16;
constexpr Integer sums_in_register = 256;

/// Up to four tile registers of sums, by half of C's columns and half of its rows.
class SliceWriter {
public:
    SliceWriter(ir::Builder& builder, const SliceKernel& kernel, ir::Buffer a, ir::Buffer b)
        : builder_(builder),
          kernel_(kernel),
          row_halves_(kernel.rows > register_rows ? 2 : 1),
          column_halves_(kernel.columns > register_rows ? 2 : 1),
          a_(a),
          b_(b),
          sums_(builder.local("sums", ir::Scalar::float32, 4 * sums_in_register)) {}

    void clear() {
        for_each_sum([&](int sum, int, int) {
            put(sums_, sum, builder_.constant({ir::Scalar::float32, sums_in_register}, 0));
        });
    }

    /// The products of one pass, over all groups of steps.
    void multiply(const std::vector<SlicedProduct::Pair>& pass, const Affine& groups,
                  const TileAhead& ahead) {
        builder_.for_loop("group", groups, [&](const Affine& group) {
            if (ahead.is_wanted)
                for (int line = 0; line < kernel_.prefetched_next; ++line)
                    builder_.prefetch(ahead.buffer, (kernel_.prefetched_next * group + line) *
                                                        scalars_in_line(ir::Scalar::bfloat16));
            std::array<Value, 4> sums{};
            for_each_sum([&](int sum, int, int) { at(sums, sum) = get(sums_, sum); });
            SlicedProduct::Pair loaded{-1, -1};
            std::array<Value, 2> a{}, b{};
            for (const SlicedProduct::Pair& pair : pass) {
                if (pair.a != loaded.a) a = load(a_, group, pair.a, row_halves_);
                if (pair.b != loaded.b) b = load(b_, group, pair.b, column_halves_);
                loaded = pair;
                for_each_sum([&](int sum, int column_half, int row_half) {
                    at(sums, sum) =
                        builder_.instruction(target::x86::tile_product_of_bfloat16(),
                                             {at(sums, sum), at(b, column_half), at(a, row_half)});
                });
            }
            for_each_sum([&](int sum, int, int) { put(sums_, sum, at(sums, sum)); });
        });
    }

    /// Writes the sums to memory; the sums of vector `vector` of column `column` are then from place(vector, column) on.
    void write_sums(ir::Buffer to) {
        for_each_sum([&](int sum, int, int) { put(to, sum, get(sums_, sum)); });
    }
    static Integer place(int vector, int column) {
        return (2 * (column / register_rows) + vector) * sums_in_register +
               column % register_rows * register_rows;
    }

private:
    template <class T, std::size_t n> static T& at(std::array<T, n>& values, int index) {
        return values[static_cast<std::size_t>(index)];
    }
    template <class F> void for_each_sum(F&& f) {
        for (int column_half = 0; column_half < column_halves_; ++column_half)
            for (int row_half = 0; row_half < row_halves_; ++row_half)
                f(2 * column_half + row_half, column_half, row_half);
    }
    Value get(ir::Buffer buffer, int sum) {
        return builder_.load(buffer, sum * sums_in_register, {.lanes = sums_in_register});
    }
    void put(ir::Buffer buffer, int sum, Value value) {
        builder_.store(buffer, sum * sums_in_register, value, {.lanes = sums_in_register});
    }
    std::array<Value, 2> load(ir::Buffer buffer, const Affine& group, int slice, int halves) {
        std::array<Value, 2> loaded{ir::no_value, ir::no_value};
        for (int half = 0; half < halves; ++half)
            at(loaded, half) = builder_.load(
                buffer, slice_panel(kernel_.product.slices, 1) * group + (2 * slice + half) * slice_register,
                {.lanes = slice_register});
        return loaded;
    }

    ir::Builder& builder_;
    const SliceKernel& kernel_;
    int row_halves_, column_halves_;
    ir::Buffer a_, b_;
    ir::Buffer sums_;
};

} // namespace

ir::Program slice_kernel(const SliceKernel& kernel) {
    ensure(
        kernel.rows >= 1 && kernel.rows <= slice_tile && kernel.columns >= 1 && kernel.columns <= slice_tile,
        "a tile of {} by {} of slices", kernel.rows, kernel.columns);
    ir::Builder builder("gemm_slices");
    const Integer panel = slice_panel(kernel.product.slices, kernel.most_groups);
    const ir::Buffer a = builder.input("a", ir::Scalar::bfloat16, panel);
    const ir::Buffer b = builder.input("b", ir::Scalar::bfloat16, panel);
    TileResult c{.buffer = builder.output("c", ir::Scalar::float32,
                                          kernel.rows + (kernel.columns - 1) * kernel.most_stride)};
    c.alpha = c.beta = builder.input("factors", ir::Scalar::float32, 2);
    c.beta_place = 1;
    TileAhead next{.is_wanted = kernel.prefetched_next > 0};
    if (next.is_wanted) next.buffer = builder.input("next", ir::Scalar::bfloat16, slice_register);
    const Affine groups = builder.parameter("groups");
    c.column_stride = builder.parameter("column_stride");

    SliceWriter slices(builder, kernel, a, b);
    const ir::Buffer written = builder.local("written", ir::Scalar::float32, 4 * sums_in_register);
    TileWriter tile(builder, Number::float32, register_rows, kernel.rows, kernel.columns, written);
    if (kernel.prefetch_c) tile.prefetch(c);
    slices.clear();
    for (std::size_t pass = 0; pass < kernel.product.passes.size(); ++pass) {
        const bool is_last = pass + 1 == kernel.product.passes.size();
        slices.multiply(kernel.product.passes[pass], groups, is_last ? next : TileAhead{});
    }
    slices.write_sums(written);
    tile.read_sums(written, SliceWriter::place);
    tile.update(c, kernel.update);
    return builder.finish();
}

} // namespace swirl::gemm
