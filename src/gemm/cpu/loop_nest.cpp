#include "gemm/cpu/loop_nest.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "gemm/cpu/nest_tile.hpp"
#include "gemm/cpu/panel_writer.hpp"
#include "gemm/whole_problem.hpp"

#include <algorithm>
#include <array>

namespace swirl::gemm {

namespace {

enum Axis : std::size_t { i, j, k };

/// Order of the block loops, outermost first.
constexpr std::array<std::array<Axis, 3>, 6> axes_of_order = {
    {{i, j, k}, {i, k, j}, {j, i, k}, {j, k, i}, {k, i, j}, {k, j, i}}};
constexpr std::array<std::string_view, 6> order_names = {"ijk", "ikj", "jik", "jki", "kij", "kji"};

/// A block: its origin and extent along each axis.
struct Block {
    std::array<Affine, 3> first;
    std::array<Integer, 3> extent{};
};

/// A matrix copy: strides in scalars; the number of rows and of elements that are contiguous in the copy.
struct Copy {
    ir::Buffer from, to;
    Affine from_origin, to_origin;
    Integer from_outer, from_inner, to_outer;
    Integer outer, inner;
};

class NestBuilder {
public:
    explicit NestBuilder(const LoopNest& nest)
        : nest_(nest),
          product_(nest.product),
          scalar_(scalar_of(nest.product.data_type)),
          builder_("gemm_loop_nest"),
          extents_{product_.rows, product_.columns, product_.k},
          block_extents_{nest.mc, nest.nc, nest.kc},
          order_(axes_of_order[static_cast<std::size_t>(nest.order)]) {
        a_ = add_matrix(builder_, ir::ArgumentRole::a, product_.data_type, product_.a, product_.rows,
                        product_.k, false);
        b_ = add_matrix(builder_, ir::ArgumentRole::b, product_.data_type, product_.b, product_.k,
                        product_.columns, false);
        c_ = add_matrix(builder_, ir::ArgumentRole::c, product_.data_type, product_.c, product_.rows,
                        product_.columns, true);
        if (nest.copies != Copies::none) {
            const Integer rows =
                copies_rows_of_blocks() ? std::min(block_extents_[i], extents_[i]) : extents_[i];
            a_copy_ = builder_.scratch("a_copy", scalar_, rows * extents_[k]);
            b_copy_ = builder_.scratch("b_copy", scalar_, extents_[k] * extents_[j]);
        }
        accumulators_ =
            builder_.local("accumulators", scalar_, Integer{nest.tile_rows} * nest.tile_columns());
    }

    ir::Program build() {
        clear();
        if (nest_.copies != Copies::none) {
            copy_b();
            if (!copies_rows_of_blocks()) copy_a_rows();
        }
        over_blocks(0);
        return builder_.finish();
    }

private:
    template <class F> void over(Axis axis, F&& body) {
        constexpr std::array<const char*, 3> names = {"i", "j", "k"};
        for_each_block(builder_, names[axis], extents_[axis], block_extents_[axis],
                       [&](const Affine& first, Integer extent) {
                           block_.first[axis] = first;
                           block_.extent[axis] = extent;
                           body();
                       });
    }

    void clear() {
        const int lanes = nest_.lanes;
        builder_.for_loop("row", product_.rows, [&](const Affine& row) {
            for_each_block(builder_, "column", product_.columns, lanes,
                           [&](const Affine& column, Integer columns) {
                               builder_.store(c_, product_.c.row_stride * row + column,
                                              builder_.constant({scalar_, lanes}, 0),
                                              {.lanes = lanes, .active = static_cast<int>(columns)});
                           });
        });
    }

    // ---- copies. A block of A is copied row after row along K, a block of B likewise.

    /// Whether a block's rows of A are copied when needed, over the previous ones; otherwise all of A is copied
    /// first.
    bool copies_rows_of_blocks() const { return order_.front() == i; }
    Affine a_copy_origin() const {
        const Affine rows = copies_rows_of_blocks() ? Affine(0) : extents_[k] * block_.first[i];
        return rows + block_.extent[i] * block_.first[k];
    }
    Affine b_copy_origin() const {
        return extents_[j] * block_.first[k] + block_.extent[k] * block_.first[j];
    }

    void copy_a_rows() {
        over(i, [&] { copy_a(); });
    }
    void copy_a() {
        over(k, [&] {
            const Integer row_stride = product_.a.row_stride, column_stride = product_.a.column_stride;
            const Integer rows = block_.extent[i], k_extent = block_.extent[k];
            const Affine from = row_stride * block_.first[i] + column_stride * block_.first[k];
            if (nest_.copies == Copies::blocks)
                return copy({a_, a_copy_, from, a_copy_origin(), row_stride, column_stride, k_extent, rows,
                             k_extent});
            for_each_block(builder_, "i0", rows, nest_.tile_rows, [&](const Affine& row, Integer width) {
                pack({.from = a_,
                      .from_origin = from + row_stride * row,
                      .k_stride = column_stride,
                      .stride = row_stride,
                      .to = a_copy_,
                      .to_origin = a_copy_origin() + k_extent * row},
                     width, k_extent);
            });
        });
    }
    void copy_b() {
        over(k, [&] {
            over(j, [&] {
                const Integer row_stride = product_.b.row_stride, column_stride = product_.b.column_stride;
                const Integer columns = block_.extent[j], k_extent = block_.extent[k];
                const Affine from = row_stride * block_.first[k] + column_stride * block_.first[j];
                if (nest_.copies == Copies::blocks)
                    return copy({b_, b_copy_, from, b_copy_origin(), row_stride, column_stride, columns,
                                 k_extent, columns});
                for_each_block(builder_, "j0", columns, nest_.tile_columns(),
                               [&](const Affine& column, Integer width) {
                                   pack({.from = b_,
                                         .from_origin = from + column_stride * column,
                                         .k_stride = row_stride,
                                         .stride = column_stride,
                                         .to = b_copy_,
                                         .to_origin = b_copy_origin() + k_extent * column},
                                        width, k_extent);
                               });
            });
        });
    }

    /// Packs a panel as wide as its block has rows or columns.
    void pack(const PanelAddresses& addresses, Integer width, Integer k_extent) {
        Pack pack{.data_type = product_.data_type,
                  .lanes = nest_.lanes,
                  .width = static_cast<int>(width),
                  .count = static_cast<int>(width)};
        if (addresses.stride != 1)
            pack.source = addresses.k_stride == 1 ? Pack::Source::along_k : Pack::Source::neither;
        PanelWriter(builder_, pack, addresses)
            .write(k_extent / k_per_iteration(pack) * k_per_iteration(pack), k_extent);
    }

    void copy(const Copy& copy) {
        const int lanes = copy.from_inner == 1 ? nest_.lanes : 1;
        const auto move = [&](const Affine& row, const Affine& at, Integer count) {
            for (Integer done = 0; done < count; done += lanes) {
                const int active = static_cast<int>(std::min<Integer>(lanes, count - done));
                const ir::Value value = builder_.load(
                    copy.from, copy.from_origin + copy.from_outer * row + copy.from_inner * (at + done),
                    {.lanes = lanes, .active = active});
                builder_.store(copy.to, copy.to_origin + copy.to_outer * row + at + done, value,
                               {.lanes = lanes, .active = active});
            }
        };
        constexpr Integer vectors_per_iteration = 4; ///< vectors per iteration
        builder_.for_loop("row", copy.outer, [&](const Affine& row) {
            for_each_block(builder_, "column", copy.inner, lanes * vectors_per_iteration,
                           [&](const Affine& at, Integer count) { move(row, at, count); });
        });
    }

    // ---- multiplication

    void over_blocks(std::size_t position) {
        if (position == order_.size()) return multiply_block();
        over(order_[position], [&] {
            if (position == 0 && nest_.copies != Copies::none && copies_rows_of_blocks()) copy_a();
            over_blocks(position + 1);
        });
    }

    /// The mini-MMM.
    void multiply_block() {
        const auto each_row = [&](auto&& body) {
            for_each_block(builder_, "i0", block_.extent[i], nest_.tile_rows, body);
        };
        const auto each_column = [&](auto&& body) {
            for_each_block(builder_, "j0", block_.extent[j], nest_.tile_columns(), body);
        };
        const bool rows_outermost =
            std::find(order_.begin(), order_.end(), i) < std::find(order_.begin(), order_.end(), j);
        if (rows_outermost)
            each_row([&](const Affine& row, Integer rows) {
                each_column([&](const Affine& column, Integer columns) {
                    multiply_tile(row, rows, column, columns);
                });
            });
        else
            each_column([&](const Affine& column, Integer columns) {
                each_row([&](const Affine& row, Integer rows) { multiply_tile(row, rows, column, columns); });
            });
    }

    /// Row and column are relative to the block.
    void multiply_tile(const Affine& row, Integer rows, const Affine& column, Integer columns) {
        const Affine origin = product_.c.row_stride * (block_.first[i] + row) + (block_.first[j] + column);
        NestTile tile(builder_, nest_, static_cast<int>(rows), static_cast<int>(columns), accumulators_);
        tile.load(c_, origin, product_.c.row_stride);
        tile.multiply(operand_a(row, rows), operand_b(column, columns), block_.extent[k]);
        tile.store(c_, origin, product_.c.row_stride);
    }

    TileOperand operand_a(const Affine& row, Integer rows) const {
        const Integer k_extent = block_.extent[k];
        if (nest_.copies == Copies::none) {
            const Integer row_stride = product_.a.row_stride, column_stride = product_.a.column_stride;
            return {.buffer = a_,
                    .origin = row_stride * (block_.first[i] + row) + column_stride * block_.first[k],
                    .k_stride = column_stride,
                    .stride = row_stride};
        }
        const bool panels = nest_.copies == Copies::panels;
        return {.buffer = a_copy_,
                .origin = a_copy_origin() + k_extent * row,
                .k_stride = panels ? rows : 1,
                .stride = panels ? 1 : k_extent};
    }
    TileOperand operand_b(const Affine& column, Integer columns) const {
        if (nest_.copies == Copies::none) {
            const Integer row_stride = product_.b.row_stride, column_stride = product_.b.column_stride;
            return {.buffer = b_,
                    .origin = row_stride * block_.first[k] + column_stride * (block_.first[j] + column),
                    .k_stride = row_stride,
                    .stride = column_stride};
        }
        const bool panels = nest_.copies == Copies::panels;
        return {.buffer = b_copy_,
                .origin = b_copy_origin() + (panels ? block_.extent[k] : 1) * column,
                .k_stride = panels ? columns : block_.extent[j],
                .stride = 1};
    }

    const LoopNest& nest_;
    const MatrixProduct& product_;
    DataType scalar_;
    ir::Builder builder_;
    std::array<Integer, 3> extents_, block_extents_;
    std::array<Axis, 3> order_;
    ir::Buffer a_, b_, c_, a_copy_ = 0, b_copy_ = 0, accumulators_;
    Block block_;
};

} // namespace

std::string_view name_of(LoopOrder order) { return order_names[static_cast<std::size_t>(order)]; }

ir::Program loop_nest(const LoopNest& nest) {
    const MatrixProduct& product = nest.product;
    ensure(!is_complex(product.data_type) && product.c.column_stride == 1 && product.rows >= 1 &&
               product.columns >= 1 && product.k >= 1,
           "a loop nest for a product of {} by {} by {}", product.rows, product.columns, product.k);
    ensure(nest.lanes == 1 || nest.copies != Copies::none || product.b.column_stride == 1,
           "vectors of {} lanes from columns {} apart", nest.lanes, product.b.column_stride);
    return NestBuilder(nest).build();
}

std::string to_string(const LoopNest& nest) {
    std::string text{name_of(nest.order)};
    const MatrixProduct& product = nest.product;
    if (nest.mc < product.rows || nest.nc < product.columns || nest.kc < product.k)
        text += fmt::format(", blocks {}x{}x{}", std::min(nest.mc, product.rows),
                            std::min(nest.nc, product.columns), std::min(nest.kc, product.k));
    if (nest.copies == Copies::blocks) text += ", copied";
    if (nest.copies == Copies::panels) text += ", copied into panels";
    text += fmt::format(", tile {}x{}", nest.tile_rows, nest.tile_columns());
    if (nest.lanes > 1) text += fmt::format(" in vectors of {}", nest.lanes);
    text += fmt::format(", unroll {}", nest.unroll);
    if (nest.load_distance > 0) text += fmt::format(", loads {} ahead", nest.load_distance);
    if (nest.add_distance > 0 && !nest.is_fused)
        text += fmt::format(", additions {} behind", nest.add_distance);
    if (nest.is_fused) text += ", fused";
    return text;
}

} // namespace swirl::gemm
