#include "gemm/cpu/amx_kernel.hpp"

#include "base/error.hpp"
#include "target/x86/amx_products.hpp"

#include <array>

namespace swirl::gemm {

namespace {

using ir::Value;

constexpr int register_rows = target::x86::tile_rows;
constexpr Integer accumulators_per_register = target::x86::tile_bytes / 4;

class AmxKernelWriter {
public:
    AmxKernelWriter(ir::Builder& builder, const AmxKernel& kernel)
        : builder_(builder),
          kernel_(kernel),
          row_halves_(kernel.rows > register_rows ? 2 : 1),
          column_halves_(kernel.columns > register_rows ? 2 : 1),
          accumulator_scalar_(scalar_of(kernel.types.accumulator())),
          k_group_(2 * kernel.product.terms * kernel.types.in_register()) {
        const DataType panel_scalar = kernel.types.in_panels();
        const Integer panel = k_group_ * kernel.k_groups_per_panel;
        a_ = builder.input("a", panel_scalar, panel * kernel.max_tiles, {ir::ArgumentRole::a});
        b_ = builder.input("b", panel_scalar, panel, {ir::ArgumentRole::b});
        c_.buffer = builder.output("c", accumulator_scalar_,
                                   amx_tile * kernel.max_tiles + (kernel.columns - 1) * kernel.max_stride,
                                   {ir::ArgumentRole::c});
        c_.alpha = c_.beta =
            builder.input("alpha_beta", accumulator_scalar_, 2, {ir::ArgumentRole::alpha_beta});
        c_.beta_offset = 1;
        if (!kernel.epilogue.is_identity()) {
            if (kernel.types.accumulator() == DataType::int32)
                c_.finished =
                    builder.output("epilogue_output", DataType::float32,
                                   amx_tile * kernel.max_tiles + (kernel.columns - 1) * kernel.max_stride);
            epilogue_ = EpilogueBuffers(builder, kernel.types.accumulator(), kernel.epilogue,
                                        amx_tile * kernel.max_tiles, kernel.columns);
            c_.epilogue = &epilogue_;
        }
        accumulators_ = builder.local("accumulators", accumulator_scalar_, 4 * accumulators_per_register);
        written_ = builder.local("c_registers", accumulator_scalar_, 4 * accumulators_per_register);
    }

    void write() {
        const Affine tiles = builder_.parameter("tiles"), k_groups = builder_.parameter("k_groups");
        const Affine stride = builder_.parameter("column_stride");
        const int whole_updates = kernel_.columns / kernel_.columns_at_once;
        builder_.for_loop("tile", tiles, [&](const Affine& tile) {
            for_each_accumulator([&](int accumulator, int, int) {
                put(accumulators_, accumulator,
                    builder_.constant({accumulator_scalar_, accumulators_per_register}, 0));
            });
            const auto& passes = kernel_.product.passes;
            for (std::size_t pass = 0; pass < passes.size(); ++pass)
                builder_.for_loop("group", k_groups, [&](const Affine& k_group) {
                    multiply(passes[pass], tile, k_group, [&] {
                        if (pass + 1 < passes.size()) return;
                        fetch(tile, k_group, stride);
                        const Affine first = kernel_.columns_at_once * k_group;
                        builder_.if_then(
                            {{tile - 1, nonnegative}, {whole_updates - 1 - k_group, nonnegative}},
                            [&] { update_some(tile - 1, first, kernel_.columns_at_once, stride); });
                    });
                });
            const int updated_columns = whole_updates * kernel_.columns_at_once;
            if (updated_columns < kernel_.columns)
                builder_.if_then({{tile - 1, nonnegative}}, [&] {
                    update_some(tile - 1, updated_columns, kernel_.columns - updated_columns, stride);
                });
            for_each_accumulator([&](int accumulator, int, int) {
                put(written_, accumulator, get(accumulators_, accumulator));
            });
        });
        builder_.if_then({{tiles - 1, nonnegative}},
                         [&] { update_some(tiles - 1, 0, kernel_.columns, stride); });
    }

private:
    static constexpr auto nonnegative = ir::Condition::Relation::nonnegative;

    template <class T, std::size_t n> static T& at(std::array<T, n>& values, int index) {
        return values[static_cast<std::size_t>(index)];
    }
    template <class F> void for_each_accumulator(F&& f) {
        for (int column_half = 0; column_half < column_halves_; ++column_half)
            for (int row_half = 0; row_half < row_halves_; ++row_half)
                f(2 * row_half + column_half, column_half, row_half);
    }
    Value get(ir::Buffer buffer, int accumulator) {
        return builder_.load(buffer, accumulator * accumulators_per_register,
                             {.lanes = accumulators_per_register});
    }
    void put(ir::Buffer buffer, int accumulator, Value value) {
        builder_.store(buffer, accumulator * accumulators_per_register, value,
                       {.lanes = accumulators_per_register});
    }
    std::array<Value, 2> load(ir::Buffer buffer, const Affine& panel, int term, int halves) {
        std::array<Value, 2> loaded{ir::no_value, ir::no_value};
        for (int half = 0; half < halves; ++half)
            at(loaded, half) = builder_.load(buffer, panel + (2 * term + half) * kernel_.types.in_register(),
                                             {.lanes = kernel_.types.in_register()});
        return loaded;
    }

    /// B's columns are the rows of the instruction's first operand.
    const ir::Instruction& product() const {
        const AmxTypes& types = kernel_.types;
        if (!types.are_bytes()) return target::x86::amx_bfloat16_product();
        return target::x86::amx_byte_product(types.b == DataType::int8, types.a == DataType::int8);
    }

    /// Multiplies a K group; `between` interleaves other work.
    template <class Between>
    void multiply(const std::vector<Bf16Split::Pair>& pairs, const Affine& tile, const Affine& k_group,
                  Between&& between) {
        const Affine in_a = k_group_ * kernel_.k_groups_per_panel * tile + k_group_ * k_group;
        std::array<Value, 4> accumulators{};
        for_each_accumulator([&](int accumulator, int, int) {
            at(accumulators, accumulator) = get(accumulators_, accumulator);
        });
        Bf16Split::Pair loaded{-1, -1};
        std::array<Value, 2> a{}, b{};
        for (const Bf16Split::Pair& pair : pairs) {
            if (pair.a != loaded.a) a = load(a_, in_a, pair.a, row_halves_);
            if (pair.b != loaded.b) b = load(b_, k_group_ * k_group, pair.b, column_halves_);
            loaded = pair;
            for_each_accumulator([&](int accumulator, int column_half, int row_half) {
                at(accumulators, accumulator) = builder_.instruction(
                    product(), {at(accumulators, accumulator), at(b, column_half), at(a, row_half)});
            });
        }
        for_each_accumulator([&](int accumulator, int, int) {
            put(accumulators_, accumulator, at(accumulators, accumulator));
        });
        between();
    }

    /// Prefetches the columns of this tile of C that the next tile's same iteration will update.
    void fetch(const Affine& tile, const Affine& k_group, const Affine& stride) {
        for (int column = 0; column < kernel_.columns_at_once; ++column) {
            const Value start = column_start(kernel_.columns_at_once * k_group + column, stride);
            const Affine first = amx_tile * tile;
            for (Integer row = 0; row < kernel_.rows; row += scalars_per_cache_line(accumulator_scalar_))
                builder_.prefetch(c_.buffer, first + row, start);
            builder_.prefetch(c_.buffer, first + (kernel_.rows - 1), start);
        }
    }
    Value column_start(const Affine& column, const Affine& stride) {
        return builder_.multiply(builder_.index(column), builder_.index(stride));
    }

    /// Adds some columns of a tile, whose accumulators are stored, to C.
    void update_some(const Affine& tile, const Affine& first, int columns, const Affine& stride) {
        TileWriter writer(builder_, kernel_.types.accumulator(), register_rows, kernel_.rows, columns,
                          written_);
        writer.read_accumulators(written_, [&](int vector, int column) {
            return 2 * vector * accumulators_per_register + (first + column) * register_rows;
        });
        TileResult c = c_;
        c.origin = amx_tile * tile;
        c.columns_before = first;
        c.first_row = c.origin;
        c.first_column = first;
        c.column_stride = stride;
        writer.update(c, kernel_.update);
    }

    ir::Builder& builder_;
    const AmxKernel& kernel_;
    int row_halves_, column_halves_;
    DataType accumulator_scalar_;
    Integer k_group_; ///< elements in a panel per K group
    ir::Buffer a_ = 0, b_ = 0, accumulators_ = 0, written_ = 0;
    EpilogueBuffers epilogue_;
    TileResult c_;
};

} // namespace

int columns_at_once(Integer k_groups) {
    int columns = 1;
    while (columns * k_groups < amx_tile) columns *= 2;
    return columns;
}

ir::Program amx_kernel(const AmxKernel& kernel) {
    ensure(kernel.rows >= 1 && kernel.rows <= amx_tile && kernel.columns >= 1 && kernel.columns <= amx_tile,
           "a tile of {} by {} of slices", kernel.rows, kernel.columns);
    ir::Builder builder("gemm_amx_kernel");
    AmxKernelWriter(builder, kernel).write();
    return builder.finish();
}

} // namespace swirl::gemm
