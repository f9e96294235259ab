#include "gemm/slice_kernel.hpp"

#include "base/error.hpp"
#include "target/x86/tile_products.hpp"

#include <array>

namespace swirl::gemm {

namespace {

using ir::Value;

constexpr int register_rows = target::x86::tile_rows;
constexpr Integer sums_in_register = target::x86::tile_bytes / 4;

class SliceWriter {
public:
    SliceWriter(ir::Builder& builder, const SliceKernel& kernel)
        : builder_(builder),
          kernel_(kernel),
          row_halves_(kernel.rows > register_rows ? 2 : 1),
          column_halves_(kernel.columns > register_rows ? 2 : 1),
          wide_(scalar_of(kernel.numbers.sums())),
          group_(2 * kernel.product.slices * kernel.numbers.in_register()) {
        const ir::Scalar narrow = kernel.numbers.in_panels();
        const Integer panel = group_ * kernel.groups_in_panel;
        a_ = builder.input("a", narrow, panel * kernel.most_tiles);
        b_ = builder.input("b", narrow, panel);
        c_.buffer = builder.output(
            "c", wide_, slice_tile * kernel.most_tiles + (kernel.columns - 1) * kernel.most_stride);
        c_.alpha = c_.beta = builder.input("factors", wide_, 2);
        c_.beta_place = 1;
        if (!kernel.epilogue.is_identity()) {
            if (kernel.numbers.sums() == Number::int32)
                c_.finished = builder.output(
                    "finished", ir::Scalar::float32,
                    slice_tile * kernel.most_tiles + (kernel.columns - 1) * kernel.most_stride);
            epilogue_ = EpilogueBuffers(builder, kernel.numbers.sums(), kernel.epilogue,
                                        slice_tile * kernel.most_tiles, kernel.columns);
            c_.epilogue = &epilogue_;
        }
        sums_ = builder.local("sums", wide_, 4 * sums_in_register);
        written_ = builder.local("written", wide_, 4 * sums_in_register);
    }

    void write() {
        const Affine tiles = builder_.parameter("tiles"), groups = builder_.parameter("groups");
        const Affine stride = builder_.parameter("column_stride");
        const int whole_turns = kernel_.columns / kernel_.columns_at_once;
        builder_.for_loop("tile", tiles, [&](const Affine& tile) {
            for_each_sum([&](int sum, int, int) {
                put(sums_, sum, builder_.constant({wide_, sums_in_register}, 0));
            });
            const auto& passes = kernel_.product.passes;
            for (std::size_t pass = 0; pass < passes.size(); ++pass)
                builder_.for_loop("group", groups, [&](const Affine& group) {
                    multiply(passes[pass], tile, group, [&] {
                        if (pass + 1 < passes.size()) return;
                        fetch(tile, group, stride);
                        const Affine first = kernel_.columns_at_once * group;
                        builder_.if_then(
                            {{tile - 1, nonnegative}, {whole_turns - 1 - group, nonnegative}},
                            [&] { update_some(tile - 1, first, kernel_.columns_at_once, stride); });
                    });
                });
            const int in_turns = whole_turns * kernel_.columns_at_once;
            if (in_turns < kernel_.columns)
                builder_.if_then({{tile - 1, nonnegative}}, [&] {
                    update_some(tile - 1, in_turns, kernel_.columns - in_turns, stride);
                });
            for_each_sum([&](int sum, int, int) { put(written_, sum, get(sums_, sum)); });
        });
        builder_.if_then({{tiles - 1, nonnegative}},
                         [&] { update_some(tiles - 1, 0, kernel_.columns, stride); });
    }

private:
    static constexpr auto nonnegative = ir::Condition::Relation::nonnegative;

    template <class T, std::size_t n> static T& at(std::array<T, n>& values, int index) {
        return values[static_cast<std::size_t>(index)];
    }
    template <class F> void for_each_sum(F&& f) {
        for (int column_half = 0; column_half < column_halves_; ++column_half)
            for (int row_half = 0; row_half < row_halves_; ++row_half)
                f(2 * row_half + column_half, column_half, row_half);
    }
    Value get(ir::Buffer buffer, int sum) {
        return builder_.load(buffer, sum * sums_in_register, {.lanes = sums_in_register});
    }
    void put(ir::Buffer buffer, int sum, Value value) {
        builder_.store(buffer, sum * sums_in_register, value, {.lanes = sums_in_register});
    }
    std::array<Value, 2> load(ir::Buffer buffer, const Affine& panel, int slice, int halves) {
        std::array<Value, 2> loaded{ir::no_value, ir::no_value};
        for (int half = 0; half < halves; ++half)
            at(loaded, half) =
                builder_.load(buffer, panel + (2 * slice + half) * kernel_.numbers.in_register(),
                              {.lanes = kernel_.numbers.in_register()});
        return loaded;
    }

    /// The columns of B are the rows of the instruction's first factor.
    const ir::Instruction& product() const {
        const TileNumbers& numbers = kernel_.numbers;
        if (!numbers.are_bytes()) return target::x86::tile_product_of_bfloat16();
        return target::x86::tile_product_of_bytes(numbers.b == Number::int8, numbers.a == Number::int8);
    }

    /// The products of a group of steps; other work is done in between.
    template <class Between>
    void multiply(const std::vector<SlicedProduct::Pair>& pairs, const Affine& tile, const Affine& group,
                  Between&& between) {
        const Affine in_a = group_ * kernel_.groups_in_panel * tile + group_ * group;
        std::array<Value, 4> sums{};
        for_each_sum([&](int sum, int, int) { at(sums, sum) = get(sums_, sum); });
        SlicedProduct::Pair loaded{-1, -1};
        std::array<Value, 2> a{}, b{};
        for (const SlicedProduct::Pair& pair : pairs) {
            if (pair.a != loaded.a) a = load(a_, in_a, pair.a, row_halves_);
            if (pair.b != loaded.b) b = load(b_, group_ * group, pair.b, column_halves_);
            loaded = pair;
            for_each_sum([&](int sum, int column_half, int row_half) {
                at(sums, sum) =
                    builder_.instruction(product(), {at(sums, sum), at(b, column_half), at(a, row_half)});
            });
        }
        for_each_sum([&](int sum, int, int) { put(sums_, sum, at(sums, sum)); });
        between();
    }

    /// The columns of this tile of C that will be updated in the same turn of the next.
    void fetch(const Affine& tile, const Affine& group, const Affine& stride) {
        for (int column = 0; column < kernel_.columns_at_once; ++column) {
            const Value start = column_start(kernel_.columns_at_once * group + column, stride);
            const Affine first = slice_tile * tile;
            for (Integer row = 0; row < kernel_.rows; row += scalars_in_line(wide_))
                builder_.prefetch(c_.buffer, first + row, start);
            builder_.prefetch(c_.buffer, first + (kernel_.rows - 1), start);
        }
    }
    Value column_start(const Affine& column, const Affine& stride) {
        return builder_.multiply(builder_.index(column), builder_.index(stride));
    }

    /// Adds some columns of a tile, the sums of which are written, to C.
    void update_some(const Affine& tile, const Affine& first, int columns, const Affine& stride) {
        TileWriter writer(builder_, kernel_.numbers.sums(), register_rows, kernel_.rows, columns, written_);
        writer.read_sums(written_, [&](int vector, int column) {
            return 2 * vector * sums_in_register + (first + column) * register_rows;
        });
        TileResult c = c_;
        c.origin = slice_tile * tile;
        c.columns_before = first;
        c.first_row = c.origin;
        c.first_column = first;
        c.column_stride = stride;
        writer.update(c, kernel_.update);
    }

    ir::Builder& builder_;
    const SliceKernel& kernel_;
    int row_halves_, column_halves_;
    ir::Scalar wide_;
    Integer group_; ///< numbers in a panel for a group of steps
    ir::Buffer a_ = 0, b_ = 0, sums_ = 0, written_ = 0;
    EpilogueBuffers epilogue_;
    TileResult c_;
};

} // namespace

int columns_at_once(Integer groups) {
    int columns = 1;
    while (columns * groups < slice_tile) columns *= 2;
    return columns;
}

ir::Program slice_kernel(const SliceKernel& kernel) {
    ensure(
        kernel.rows >= 1 && kernel.rows <= slice_tile && kernel.columns >= 1 && kernel.columns <= slice_tile,
        "a tile of {} by {} of slices", kernel.rows, kernel.columns);
    ir::Builder builder("gemm_slices");
    SliceWriter(builder, kernel).write();
    return builder.finish();
}

} // namespace swirl::gemm
