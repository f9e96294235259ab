#include "plan/matrix_blocks.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "plan/goto_blocks.hpp"
#include "plan/matrix_values.hpp"
#include "plan/packed_blocks.hpp"
#include "runtime/team.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace swirl::planning {

namespace {

using gemm::Update;
using Operand = MatrixKernels::Operand;

/// Of tiles that a region has in part.
constexpr Integer most_tile_bytes = 8192;

class Blocks {
public:
    Blocks(MatrixKernels& kernels, const MatrixProduct& product, const MatrixArguments& arguments,
           Integer block_depth, const MatrixRegion& region, const MatrixExtras& extras)
        : kernels_(kernels),
          extras_(extras),
          epilogue_(extras.epilogue),
          schedule_(kernels.schedule()),
          product_(product),
          region_(region),
          bytes_(bytes_of(product.number)),
          a_(Operand::a, arguments.a, product.a),
          b_(Operand::b, arguments.b, product.b),
          c_(static_cast<std::byte*>(arguments.c)) {
        std::memcpy(factors_, arguments.alpha, static_cast<std::size_t>(bytes_));
        std::memcpy(factors_ + bytes_, arguments.beta, static_cast<std::size_t>(bytes_));
        blocks_ = gemm::blocks_of(schedule_, product.rows, product.depth, product.columns, block_depth);
        ensure(!epilogue_ || epilogue_.epilogue->kernels().schedule() == schedule_,
               "an epilogue of tiles of another schedule");
        ensure(region.half == MatrixRegion::Half::all ||
                   schedule_.tile.rows() * schedule_.tile.columns * bytes_ <= most_tile_bytes,
               "tiles of {} by {}", schedule_.tile.rows(), schedule_.tile.columns);
    }

    void run(Update first_update) {
        if (!extras_.a) own_a_ = packed_block(0, block_bytes(Operand::a, blocks_.rows));
        if (!extras_.b) own_b_ = packed_block(1, block_bytes(Operand::b, blocks_.columns));
        over_blocks(
            product_, blocks_, [&](const PanelRange& columns) { begin_columns(columns, first_update); },
            [&](const PanelRange& rows, const PanelRange& columns) {
                if (region_.contains_none(rows.first, rows.extent, columns.first, columns.extent)) return;
                packed_a_ = packed(a_, extras_.a, rows, own_a_);
                multiply_block(rows.first, rows.extent, columns.first, columns.extent);
            });
    }

private:
    /// Of the panels of so many rows or columns.
    std::size_t block_bytes(Operand operand, Integer extent) const {
        return static_cast<std::size_t>(ceil_divide(extent, Integer{kernels_.width(operand)}) *
                                        kernels_.panel_bytes(operand, blocks_.depth));
    }

    void begin_columns(const PanelRange& columns, Update first_update) {
        depth_ = columns.depth;
        groups_ = kernels_.groups_in(depth_);
        update_ = columns.first_step == 0 ? first_update : Update::add;
        is_last_ = columns.first_step + depth_ == product_.depth;
        packed_b_ = packed(b_, extras_.b, columns, own_b_);
    }

    /// A block's panels: there already, or packed now.
    std::byte* packed(const PanelSource& source, const PackedPanels& panels, const PanelRange& range,
                      std::byte* own) {
        if (panels) return const_cast<std::byte*>(panels.block(range.first, range.first_step, range.depth));
        pack_panels(kernels_, source, range, own);
        return own;
    }

    /// Where in C a block begins.
    struct Corner {
        Integer row, column;
    };

    void multiply_block(Integer first_row, Integer rows, Integer first_column, Integer columns) {
        const Corner corner{first_row, first_column};
        const Integer tile_rows = schedule_.tile.rows(), tile_columns = schedule_.tile.columns;
        const auto over_rows = [&](auto&& body) {
            for (Integer row = 0; row < rows; row += tile_rows)
                body(runtime::Share{row, std::min(row + tile_rows, rows)});
        };
        const auto over_columns = [&](auto&& body) {
            for (Integer column = 0; column < columns; column += tile_columns)
                body(runtime::Share{column, std::min(column + tile_columns, columns)});
        };
        using runtime::Share;
        if (schedule_.rows_inside)
            over_columns(
                [&](const Share& c) { over_rows([&](const Share& r) { multiply_tile(corner, r, c); }); });
        else
            over_rows(
                [&](const Share& r) { over_columns([&](const Share& c) { multiply_tile(corner, r, c); }); });
    }

    void multiply_tile(const Corner& corner, runtime::Share rows, runtime::Share columns) {
        const int in_row = static_cast<int>(rows.last - rows.first);
        const int in_column = static_cast<int>(columns.last - columns.first);
        const Integer in_c = corner.row + rows.first, at_c = corner.column + columns.first;
        if (region_.contains_none(in_c, in_row, at_c, in_column)) return;
        std::byte* const target = c_ + (in_c + at_c * product_.c.column_stride) * bytes_;
        const Integer a_panel = rows.first / schedule_.tile.rows(),
                      b_panel = columns.first / schedule_.tile.columns;
        void* const buffers[] = {packed_a_ + a_panel * kernels_.panel_bytes(Operand::a, depth_),
                                 packed_b_ + b_panel * kernels_.panel_bytes(Operand::b, depth_), target,
                                 factors_, share_of_next_panel(a_panel, b_panel)};
        const std::int64_t parameters[] = {groups_ / schedule_.unroll * schedule_.unroll, groups_,
                                           product_.c.column_stride};
        if (is_last_ && epilogue_)
            finish_tile(buffers, parameters, {in_c, in_c + in_row}, {at_c, at_c + in_column});
        else if (region_.contains_all(in_c, in_row, at_c, in_column))
            kernels_.tile(in_row, in_column, update_)(buffers, parameters);
        else
            multiply_in_part(buffers, {in_c, in_c + in_row}, {at_c, at_c + in_column});
    }

    /// Of the panel after the one that stays, of B where rows are inside, what a tile is to fetch while it is computed: its
    /// tiles are numbered from 0.
    std::byte* share_of_next_panel(Integer a_panel, Integer b_panel) {
        const bool is_b = schedule_.rows_inside;
        const Integer bytes = kernels_.panel_bytes(is_b ? Operand::b : Operand::a, depth_);
        const Integer share = groups_ / schedule_.unroll * target::line_bytes;
        const Integer tile = is_b ? a_panel : b_panel;
        std::byte* const here = is_b ? packed_b_ + b_panel * bytes : packed_a_ + a_panel * bytes;
        return tile * share < bytes ? here + bytes + tile * share : here;
    }

    /// A tile of the last block of the depth, with the epilogue.
    void finish_tile(std::span<void* const> usual, const std::int64_t* parameters, runtime::Share rows,
                     runtime::Share columns) {
        std::array<void*, 6 + most_operands> buffers;
        // Kernels know no `next` where none is fetched.
        std::size_t count = schedule_.prefetch_next ? usual.size() : usual.size() - 1;
        std::copy_n(usual.begin(), count, buffers.begin());
        if (product_.number == Number::int32) buffers[count++] = usual[2]; // C again
        epilogue_.put_operands(buffers.data() + count, rows.first, columns.first);
        epilogue_.epilogue->kernels().tile(static_cast<int>(rows.last - rows.first),
                                           static_cast<int>(columns.last - columns.first),
                                           update_)(buffers.data(), parameters);
    }

    /// A tile that the region has some elements of: computed beside C.
    void multiply_in_part(void* const* whole, runtime::Share rows, runtime::Share columns) {
        alignas(64) std::byte tile[most_tile_bytes];
        const Integer in_row = rows.last - rows.first, in_column = columns.last - columns.first;
        void* const buffers[] = {whole[0], whole[1], tile, factors_, whole[4]};
        const std::int64_t parameters[] = {groups_ / schedule_.unroll * schedule_.unroll, groups_, in_row};
        kernels_.tile(static_cast<int>(in_row), static_cast<int>(in_column), Update::overwrite)(buffers,
                                                                                                parameters);
        with_number(product_.number, [&](auto example) {
            using T = decltype(example);
            const T beta = value_at<T>(factors_ + bytes_);
            for (Integer column = columns.first; column < columns.last; ++column) {
                const T* const result =
                    reinterpret_cast<const T*>(tile) + (column - columns.first) * in_row - rows.first;
                T* const c = reinterpret_cast<T*>(c_) + column * product_.c.column_stride;
                const runtime::Share wanted = region_.rows_in(column, rows);
                const auto update = [&](auto&& updated) {
                    for (Integer row = wanted.first; row < wanted.last; ++row)
                        c[row] = updated(result[row], c[row]);
                };
                switch (update_) {
                case Update::overwrite: update([](T r, const T&) { return r; }); break;
                case Update::add: update([](T r, const T& before) { return r + before; }); break;
                case Update::scale: update([&](T r, const T& before) { return r + beta * before; }); break;
                }
            }
        });
    }

    MatrixKernels& kernels_;
    const MatrixExtras& extras_;
    const EpilogueCall& epilogue_;
    const gemm::Schedule& schedule_;
    const MatrixProduct& product_;
    const MatrixRegion& region_;
    Integer bytes_;
    PanelSource a_, b_;
    std::byte* c_;
    alignas(16) std::byte factors_[32]; ///< α, β
    gemm::Blocks blocks_;
    Integer depth_ = 0;    ///< of the block at hand
    Integer groups_ = 0;   ///< of its steps
    bool is_last_ = false; ///< it is the last one
    Update update_ = Update::add;
    std::byte* own_a_ = nullptr; ///< to pack into
    std::byte* own_b_ = nullptr;
    std::byte* packed_a_ = nullptr; ///< panels of the blocks at hand
    std::byte* packed_b_ = nullptr;
};

} // namespace

void multiply_blocks(MatrixKernels& kernels, const MatrixProduct& product, const MatrixArguments& arguments,
                     gemm::Update update, Integer block_depth, const MatrixRegion& region,
                     const MatrixExtras& extras) {
    Blocks(kernels, product, arguments, block_depth, region, extras).run(update);
}

} // namespace swirl::planning
