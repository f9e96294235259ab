#include "plan/matrix_blocks.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
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
        // Deeper blocks than the schedule's have fewer rows and columns.
        const auto most = [&](Integer extent) {
            return std::clamp<Integer>(extent * schedule_.block_depth / block_depth, 1, extent);
        };
        block_rows_ = gemm::balanced_block(product.rows, most(schedule_.block_rows), schedule_.tile.rows());
        block_columns_ =
            gemm::balanced_block(product.columns, most(schedule_.block_columns), schedule_.tile.columns);
        block_depth_ = std::min(block_depth, product.depth);
        ensure(!epilogue_ || epilogue_.epilogue->kernels().schedule() == schedule_,
               "an epilogue of tiles of another schedule");
        ensure(region.half == MatrixRegion::Half::all ||
                   schedule_.tile.rows() * schedule_.tile.columns * bytes_ <= most_tile_bytes,
               "tiles of {} by {}", schedule_.tile.rows(), schedule_.tile.columns);
    }

    void run(Update first_update) {
        if (!extras_.a) own_a_ = packed_block(0, block_bytes(Operand::a, block_rows_));
        if (!extras_.b) own_b_ = packed_block(1, block_bytes(Operand::b, block_columns_));
        for (Integer column = 0; column < product_.columns; column += block_columns_)
            for (Integer step = 0; step < product_.depth; step += block_depth_) {
                update_ = step == 0 ? first_update : Update::add;
                multiply_columns(column, step);
            }
    }

private:
    /// Of the panels of so many rows or columns.
    std::size_t block_bytes(Operand operand, Integer extent) const {
        return static_cast<std::size_t>(ceil_divide(extent, Integer{kernels_.width(operand)}) *
                                        kernels_.panel_bytes(operand, block_depth_));
    }

    void multiply_columns(Integer first_column, Integer first_step) {
        const Integer columns = std::min(block_columns_, product_.columns - first_column);
        depth_ = std::min(block_depth_, product_.depth - first_step);
        groups_ = kernels_.groups_in(depth_);
        is_last_ = first_step + depth_ == product_.depth;
        packed_b_ = packed(b_, extras_.b, {first_column, columns, first_step, depth_}, own_b_);
        for (Integer row = 0; row < product_.rows; row += block_rows_) {
            const Integer rows = std::min(block_rows_, product_.rows - row);
            if (region_.contains_none(row, rows, first_column, columns)) continue;
            packed_a_ = packed(a_, extras_.a, {row, rows, first_step, depth_}, own_a_);
            multiply_block(row, rows, first_column, columns);
        }
    }

    /// A block's panels: there already, or packed now.
    std::byte* packed(const PanelSource& source, const PackedPanels& panels, const PanelRange& range,
                      std::byte* own) {
        if (panels) return const_cast<std::byte*>(panels.block(range.first, range.first_step, range.depth));
        pack_panels(kernels_, source, range, own);
        return own;
    }

    void multiply_block(Integer first_row, Integer rows, Integer first_column, Integer columns) {
        const Integer tile_rows = schedule_.tile.rows(), tile_columns = schedule_.tile.columns;
        const Integer a_bytes = kernels_.panel_bytes(Operand::a, depth_),
                      b_bytes = kernels_.panel_bytes(Operand::b, depth_);
        const std::int64_t parameters[] = {groups_ / schedule_.unroll * schedule_.unroll, groups_,
                                           product_.c.column_stride};
        for (Integer column = 0; column < columns; column += tile_columns) {
            const int in_column = static_cast<int>(std::min(tile_columns, columns - column));
            for (Integer row = 0; row < rows; row += tile_rows) {
                const int in_row = static_cast<int>(std::min(tile_rows, rows - row));
                const Integer in_c = first_row + row, at_c = first_column + column;
                if (region_.contains_none(in_c, in_row, at_c, in_column)) continue;
                std::byte* const target = c_ + (in_c + at_c * product_.c.column_stride) * bytes_;
                void* const buffers[] = {packed_a_ + row / tile_rows * a_bytes,
                                         packed_b_ + column / tile_columns * b_bytes, target, factors_,
                                         share_of_next_panel(column / tile_columns, row / tile_rows)};
                if (is_last_ && epilogue_)
                    finish_tile(buffers, parameters, {in_c, in_c + in_row}, {at_c, at_c + in_column});
                else if (region_.contains_all(in_c, in_row, at_c, in_column))
                    kernels_.tile(in_row, in_column, update_)(buffers, parameters);
                else
                    multiply_in_part(buffers, {in_c, in_c + in_row}, {at_c, at_c + in_column});
            }
        }
    }

    /// Of the panel of B after this one, what a tile is to fetch while it is computed, the tiles of a panel numbered from 0.
    std::byte* share_of_next_panel(Integer panel, Integer tile) {
        const Integer bytes = kernels_.panel_bytes(Operand::b, depth_);
        const Integer share = groups_ / schedule_.unroll * target::line_bytes;
        std::byte* const here = packed_b_ + panel * bytes;
        return tile * share < bytes ? here + bytes + tile * share : here;
    }

    /// A tile of the last block of the depth, with the epilogue.
    void finish_tile(std::span<void* const> usual, const std::int64_t* parameters, runtime::Share rows,
                     runtime::Share columns) {
        std::array<void*, 5 + most_operands> buffers;
        // Kernels know no `next` where none is fetched.
        std::size_t count = schedule_.prefetch_next ? usual.size() : usual.size() - 1;
        std::copy_n(usual.begin(), count, buffers.begin());
        for (std::size_t k = 0; k < epilogue_.epilogue->code().operands.size(); ++k)
            buffers[count++] = const_cast<void*>(epilogue_.operand(k, rows.first, columns.first));
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
    Integer block_rows_, block_columns_, block_depth_;
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
