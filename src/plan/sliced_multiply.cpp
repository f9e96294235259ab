#include "plan/sliced_multiply.hpp"

#include "base/integer.hpp"
#include "gemm/schedule.hpp"
#include "plan/packed_blocks.hpp"
#include "plan/sliced_kernels.hpp"
#include "runtime/tile_state.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace swirl::planning {

namespace {

using gemm::slice_tile;
using Operand = gemm::SlicePack::Operand;

/// An operand as it is packed: along the depth and across it.
struct Source {
    Operand operand;
    Number number;
    const std::byte* data;
    Integer depth_stride;
    Integer stride;
    float scale;

    /// That it is packed from: bytes of either kind are taken as they are.
    ir::Scalar scalar() const { return number == Number::int8 ? ir::Scalar::uint8 : gemm::scalar_of(number); }
};

class SlicedBlocks {
public:
    SlicedBlocks(const SlicedRoute& route, const MatrixProduct& product, const MatrixArguments& arguments,
                 gemm::Update first_update, Integer block_depth, const EpilogueCall& epilogue)
        : kernels_(SlicedKernels::of(route.products, gemm::TileNumbers::of(product))),
          product_(product),
          first_update_(first_update),
          a_{Operand::a,
             product.number_of_a(),
             static_cast<const std::byte*>(arguments.a),
             product.a.column_stride,
             product.a.row_stride,
             std::ldexp(1.0F, route.scale.a)},
          b_{Operand::b,           product.number_of_b(),   static_cast<const std::byte*>(arguments.b),
             product.b.row_stride, product.b.column_stride, std::ldexp(1.0F, route.scale.b)},
          c_(static_cast<std::uint32_t*>(arguments.c)),
          block_rows_(gemm::balanced_block(product.rows, kernels_.schedule().block_rows, slice_tile)),
          block_columns_(
              gemm::balanced_block(product.columns, kernels_.schedule().block_columns, slice_tile)),
          block_depth_(block_depth),
          epilogue_(epilogue) {
        std::memcpy(&factors_[0], arguments.alpha, sizeof factors_[0]);
        std::memcpy(&factors_[1], arguments.beta, sizeof factors_[1]);
        if (route.scale == SlicedScale{}) return;
        const float alpha = std::bit_cast<float>(factors_[0]);
        factors_[0] = std::bit_cast<std::uint32_t>(std::ldexp(alpha, -route.scale.a - route.scale.b));
    }

    void run() {
        const auto block_bytes = [&](Integer extent) {
            return static_cast<std::size_t>(extent / slice_tile * kernels_.panel_bytes());
        };
        packed_a_ = packed_block(0, block_bytes(block_rows_));
        packed_b_ = packed_block(1, block_bytes(block_columns_));
        const runtime::TileState tile_state;
        for (Integer column = 0; column < product_.columns; column += block_columns_)
            for (Integer step = 0; step < product_.depth; step += block_depth_) {
                update_ = step == 0 ? first_update_ : gemm::Update::add;
                multiply_columns(column, step);
            }
    }

private:
    void multiply_columns(Integer first_column, Integer first_step) {
        const Integer columns = std::min(block_columns_, product_.columns - first_column);
        depth_ = std::min(block_depth_, product_.depth - first_step);
        is_finished_ = epilogue_ && first_step + depth_ == product_.depth;
        pack(b_, first_column, columns, first_step, packed_b_);
        for (Integer row = 0; row < product_.rows; row += block_rows_) {
            const Integer rows = std::min(block_rows_, product_.rows - row);
            pack(a_, row, rows, first_step, packed_a_);
            multiply_block(row, rows, first_column, columns);
        }
    }

    void pack(const Source& source, Integer first, Integer extent, Integer first_step, std::byte* to) {
        using Kind = gemm::Pack::Source;
        const Kind kind = source.stride == 1         ? Kind::across_panel
                          : source.depth_stride == 1 ? Kind::along_depth
                                                     : Kind::neither;
        float scale = source.scale;
        const Integer steps = kernels_.numbers().steps();
        const std::int64_t parameters[] = {depth_ / steps * steps, depth_, source.depth_stride,
                                           source.stride};
        for (Integer at = 0; at < extent; at += slice_tile) {
            const int count = static_cast<int>(std::min<Integer>(slice_tile, extent - at));
            const std::byte* from =
                source.data +
                ((first + at) * source.stride + first_step * source.depth_stride) * bytes_of(source.number);
            void* const buffers[] = {const_cast<std::byte*>(from),
                                     to + at / slice_tile * kernels_.panel_bytes(), &scale};
            kernels_.pack(source.operand, source.scalar(), kind, count, scale != 1)(buffers, parameters);
        }
    }

    void multiply_block(Integer first_row, Integer rows, Integer first_column, Integer columns) {
        const Integer groups = ceil_divide(depth_, Integer{kernels_.numbers().steps()});
        for (Integer column = 0; column < columns; column += slice_tile) {
            const int in_column = static_cast<int>(std::min<Integer>(slice_tile, columns - column));
            const auto multiply = [&](Integer row, Integer tiles, int rows_of_tile) {
                if (tiles == 0 || rows_of_tile == 0) return;
                const Integer in_c = first_row + row, at_c = first_column + column;
                std::array<void*, 4 + most_operands> buffers = {
                    packed_a_ + row / slice_tile * kernels_.panel_bytes(),
                    packed_b_ + column / slice_tile * kernels_.panel_bytes(),
                    c_ + in_c + at_c * product_.c.column_stride, factors_};
                if (is_finished_)
                    for (std::size_t k = 0; k < epilogue_.epilogue->code().operands.size(); ++k)
                        buffers[4 + k] = const_cast<void*>(epilogue_.operand(k, in_c, at_c));
                const std::int64_t parameters[] = {tiles, groups, product_.c.column_stride};
                SlicedKernels& kernels = is_finished_ ? epilogue_.epilogue->sliced() : kernels_;
                kernels.tiles(rows_of_tile, in_column, update_, groups)(buffers.data(), parameters);
            };
            const Integer whole = rows / slice_tile;
            multiply(0, whole, slice_tile);
            multiply(whole * slice_tile, 1, static_cast<int>(rows % slice_tile));
        }
    }

    SlicedKernels& kernels_;
    const MatrixProduct& product_;
    gemm::Update first_update_;
    Source a_, b_;
    std::uint32_t* c_;
    std::uint32_t factors_[2]; ///< α, β: float32, or int32 where C is
    Integer block_rows_, block_columns_, block_depth_;
    const EpilogueCall& epilogue_;
    Integer depth_ = 0;        ///< of the block at hand
    bool is_finished_ = false; ///< by the block at hand, so that the epilogue follows
    gemm::Update update_ = gemm::Update::add;
    std::byte* packed_a_ = nullptr;
    std::byte* packed_b_ = nullptr;
};

} // namespace

void multiply_sliced(const SlicedRoute& route, const MatrixProduct& product, const MatrixArguments& arguments,
                     gemm::Update update, Integer block_depth, const EpilogueCall& epilogue) {
    SlicedBlocks(route, product, arguments, update, block_depth, epilogue).run();
}

Integer sliced_block_depth(const SlicedRoute& route, const MatrixProduct& product) {
    const SlicedKernels& kernels = SlicedKernels::of(route.products, gemm::TileNumbers::of(product));
    return gemm::balanced_block(product.depth, kernels.schedule().block_depth, kernels.numbers().steps());
}

} // namespace swirl::planning
