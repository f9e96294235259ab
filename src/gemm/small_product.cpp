#include "gemm/small_product.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "gemm/panel_writer.hpp"
#include "gemm/whole_problem.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

/// Whether A is packed first.
bool is_packed(const MatrixProduct& product) {
    return is_complex(product.number) || product.a.row_stride != 1;
}
/// Of A in panels.
Integer panels_bytes(const SmallProduct& small) {
    const Integer rows = ceil_divide(small.product.rows, small.tile.rows()) * small.tile.rows();
    return rows * small.product.depth * bytes_of(small.product.number);
}
bool packs(const SmallProduct& small) { return !small.a_is_given_packed && is_packed(small.product); }

class ProductBuilder {
public:
    explicit ProductBuilder(const SmallProduct& small)
        : small_(small),
          product_(small.product),
          parts_(scalars_in(product_.number)),
          scalar_(scalar_of(product_.number)),
          builder_("gemm_small") {
        a_ = small.a_is_given_packed
                 ? builder_.input("a", scalar_, panels_bytes(small) / ir::size_in_bytes(scalar_))
                 : add_matrix(builder_, "a", product_.number, product_.a, product_.rows, product_.depth,
                              false);
        b_ = add_matrix(builder_, "b", product_.number, product_.b, product_.depth, product_.columns, false);
        c_ = add_matrix(builder_, "c", product_.number, product_.c, product_.rows, product_.columns, true);
        alpha_ = builder_.input("alpha", scalar_, parts_);
        beta_ = builder_.input("beta", scalar_, parts_);
        packed_ = a_;
        if (packs(small))
            packed_ = builder_.scratch("packed", scalar_, packed_bytes(small) / ir::size_in_bytes(scalar_));
        if (!small.epilogue.is_identity())
            epilogue_ =
                EpilogueBuffers(builder_, product_.number, small.epilogue, product_.rows, product_.columns);
        sums_ = builder_.local("sums", scalar_, TileWriter::sums_needed(product_.number, small.tile));
    }

    ir::Program build() {
        if (packs(small_)) pack_rows();
        const Integer depth = product_.depth, block = small_.block_depth;
        // The last block stands for itself where elements are finished there.
        const Integer last =
            epilogue_.epilogue != nullptr || depth % block != 0 ? (depth - 1) / block * block : depth;
        multiply_block(0, std::min(block, depth), small_.update);
        builder_.for_loop("block", std::min(block, last), last, block, ir::For::Kind::serial,
                          [&](const Affine& at) { multiply_block(at, block, Update::add); });
        if (last > 0 && last < depth) multiply_block(last, depth - last, Update::add);
        return builder_.finish();
    }

private:
    void pack_rows() {
        const Tile& tile = small_.tile;
        in_pieces(builder_, "i", product_.rows, tile.rows(), [&](const Affine& row, Integer rows) {
            Pack pack{.number = product_.number,
                      .lanes = tile.lanes,
                      .width = tile.rows(),
                      .count = static_cast<int>(rows),
                      .source = source(),
                      .conjugated = product_.a.conjugated,
                      .most_depth = product_.depth};
            const PanelPlaces places{.from = a_,
                                     .from_origin = parts_ * product_.a.row_stride * row,
                                     .depth_stride = parts_ * product_.a.column_stride,
                                     .stride = parts_ * product_.a.row_stride,
                                     .to = packed_,
                                     .to_origin = packed_place(row)};
            const Integer together = steps_together(pack);
            PanelWriter(builder_, pack, places).write(product_.depth / together * together, product_.depth);
        });
    }
    Pack::Source source() const {
        if (product_.a.row_stride == 1) return Pack::Source::across_panel;
        return product_.a.column_stride == 1 ? Pack::Source::along_depth : Pack::Source::neither;
    }
    /// Of the panel of A that begins with a row: parts·depth scalars a row.
    Affine packed_place(const Affine& row) const { return parts_ * product_.depth * row; }

    void multiply_block(const Affine& step, Integer depth, Update update) {
        const int steps = static_cast<int>(depth);
        const Tile& tile = small_.tile;
        const auto each_row = [&](auto&& body) {
            in_pieces(builder_, "i", product_.rows, tile.rows(), body);
        };
        const auto each_column = [&](auto&& body) {
            in_pieces(builder_, "j", product_.columns, tile.columns, body);
        };
        const auto tile_at = [&](const Affine& row, Integer rows, const Affine& column, Integer columns) {
            multiply_tile(row, static_cast<int>(rows), column, static_cast<int>(columns), step, steps,
                          update);
        };
        if (small_.rows_outside)
            each_row([&](const Affine& row, Integer rows) {
                each_column(
                    [&](const Affine& column, Integer columns) { tile_at(row, rows, column, columns); });
            });
        else
            each_column([&](const Affine& column, Integer columns) {
                each_row([&](const Affine& row, Integer rows) { tile_at(row, rows, column, columns); });
            });
    }

    void multiply_tile(const Affine& row, int rows, const Affine& column, int columns, const Affine& step,
                       int steps, Update update) {
        const TileOperand a = operand_a(row, step);
        const TileOperand b = operand_b(column, step);
        const bool is_last = step.is_constant() && step.constant() + steps == product_.depth;
        const TileResult c{.buffer = c_,
                           .origin = parts_ * (row + product_.c.column_stride * column),
                           .column_stride = parts_ * product_.c.column_stride,
                           .alpha = alpha_,
                           .beta = beta_,
                           .is_plain = small_.alpha_is_one,
                           .epilogue = is_last && epilogue_.epilogue != nullptr ? &epilogue_ : nullptr,
                           .first_row = row,
                           .first_column = column};
        TileWriter writer(builder_, product_.number, small_.tile.lanes, rows, columns, sums_);
        if (small_.prefetch_c) writer.prefetch(c);
        const int whole = steps / small_.unroll * small_.unroll;
        if (whole > small_.unroll) {
            writer.clear();
            writer.multiply(a, b, 0, whole, small_.unroll);
            if (whole < steps) writer.multiply_straight(a, b, whole, steps - whole);
        } else {
            writer.multiply_straight(a, b, 0, steps);
        }
        writer.update(c, update);
    }

    TileOperand operand_b(const Affine& column, const Affine& step) const {
        return {.buffer = b_,
                .origin = parts_ * (product_.b.column_stride * column + product_.b.row_stride * step),
                .depth_stride = parts_ * product_.b.row_stride,
                .stride = parts_ * product_.b.column_stride,
                .part_stride = 1,
                .conjugated = product_.b.conjugated};
    }

    TileOperand operand_a(const Affine& row, const Affine& step) const {
        if (!small_.a_is_given_packed && !is_packed(product_))
            return {.buffer = a_,
                    .origin = row + product_.a.column_stride * step,
                    .depth_stride = product_.a.column_stride,
                    .prefetch_rows = small_.prefetch_a ? small_.tile.rows() : 0};
        const Integer a_step = parts_ * small_.tile.rows();
        return {.buffer = packed_,
                .origin = packed_place(row) + a_step * step,
                .depth_stride = a_step,
                .part_stride = small_.tile.rows(),
                .is_padded = true};
    }

    const SmallProduct& small_;
    const MatrixProduct& product_;
    int parts_;
    ir::Scalar scalar_;
    ir::Builder builder_;
    ir::Buffer a_, b_, c_, alpha_, beta_, packed_ = 0, sums_;
    EpilogueBuffers epilogue_;
};

/// A core's own outer cache, where the target's table knows none.
constexpr Integer least_cache = 256 << 10;

/// The nearly equal pieces of an extent, each at most this long.
int piece(Integer extent, Integer most) {
    return static_cast<int>(ceil_divide(extent, ceil_divide(extent, most)));
}

} // namespace

bool suits_small_product(const MatrixProduct& product) {
    constexpr Integer thin = 64, most = 384;
    const auto [least, greatest] = std::minmax({product.rows, product.columns, product.depth});
    const bool is_small = least <= thin || greatest <= most;
    const bool packs_little = !is_packed(product) || product.rows * product.depth <= most * most;
    return !product.widens() && product.c.row_stride == 1 && is_small && packs_little;
}

Integer small_block_depth(const MatrixProduct& product, const target::Cpu& cpu) {
    constexpr Integer step = 8, deepest = 2048;
    const Integer bytes = bytes_of(product.number) * std::min(product.rows, product.columns);
    const Integer outer_cache = std::max<Integer>(cpu.cache_bytes, least_cache);
    if (product.depth <= deepest && product.depth * bytes <= outer_cache / 2) return product.depth;
    const Integer blocks =
        std::max(ceil_divide(product.depth * bytes, outer_cache / 2), ceil_divide(product.depth, deepest));
    return std::min(product.depth, ceil_divide(ceil_divide(product.depth, blocks), step) * step);
}

SmallProduct model_small_product(const MatrixProduct& product, Update update, bool alpha_is_one,
                                 Integer block_depth, const target::Cpu& cpu) {
    constexpr int most_vectors = 3, most_columns = 16;
    constexpr Integer deepest_straight = 16, shallow = 64;
    SmallProduct small{.product = product, .update = update, .alpha_is_one = alpha_is_one};
    small.block_depth = block_depth;
    small.rows_outside = product.columns < product.rows; // what fewer rows or columns have stays in cache
    const Integer outer_cache = std::max<Integer>(cpu.cache_bytes, least_cache),
                  bytes = bytes_of(product.number);
    // Of a deep A the next rows would push these out of the nearest cache.
    small.prefetch_a =
        small.rows_outside && product.depth <= shallow && product.rows * product.depth * bytes > outer_cache;
    small.prefetch_c = product.rows * product.columns * bytes > outer_cache;
    const int parts = scalars_in(product.number);
    int lanes = target::lanes(cpu, scalar_of(product.number));
    while (lanes / 2 >= product.rows && lanes > 2) lanes /= 2;
    const int most = parts == 2 && cpu.vector_registers < 32 ? 1 : most_vectors;
    const int vectors = piece(ceil_divide(product.rows, lanes), most);
    const int registers = cpu.vector_registers - 1 - parts * vectors;
    const int columns = std::min(most_columns, registers / (parts * vectors));
    small.tile = {lanes, vectors, piece(product.columns, columns)};
    small.unroll = product.depth <= deepest_straight ? static_cast<int>(product.depth) : 8;
    return small;
}

Integer packed_bytes(const SmallProduct& small) { return packs(small) ? panels_bytes(small) : 0; }

ir::Program small_product(const SmallProduct& small) {
    ensure(small.product.c.row_stride == 1 && small.product.rows >= 1 && small.product.columns >= 1 &&
               small.product.depth >= 1 && small.block_depth >= 1,
           "a small product of {} by {} by {}", small.product.rows, small.product.columns,
           small.product.depth);
    return ProductBuilder(small).build();
}

} // namespace swirl::gemm
