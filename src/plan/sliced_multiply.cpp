#include "plan/sliced_multiply.hpp"

#include "base/integer.hpp"
#include "gemm/schedule.hpp"
#include "plan/goto_blocks.hpp"
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
using Operand = gemm::Operand;

/// An operand as it is packed.
struct Source {
    PanelSource panels;
    Number number;
    float scale;

    /// That it is packed from: bytes of either kind are taken as they are.
    ir::Scalar scalar() const { return number == Number::int8 ? ir::Scalar::uint8 : gemm::scalar_of(number); }
};

class SlicedBlocks {
public:
    SlicedBlocks(const SlicedRoute& route, const MatrixProduct& product, const MatrixArguments& arguments,
                 Integer block_depth, const EpilogueCall& epilogue)
        : kernels_(SlicedKernels::of(route.products, gemm::TileNumbers::of(product))),
          product_(product),
          a_{{Operand::a, arguments.a, product.a}, product.number_of_a(), std::ldexp(1.0F, route.scale.a)},
          b_{{Operand::b, arguments.b, product.b}, product.number_of_b(), std::ldexp(1.0F, route.scale.b)},
          c_(static_cast<std::uint32_t*>(arguments.c)),
          epilogue_(epilogue) {
        const SlicedSchedule& schedule = kernels_.schedule();
        blocks_ = {.rows = gemm::balanced_block(product.rows, schedule.block_rows, slice_tile),
                   .depth = block_depth,
                   .columns = gemm::balanced_block(product.columns, schedule.block_columns, slice_tile)};
        std::memcpy(&factors_[0], arguments.alpha, sizeof factors_[0]);
        std::memcpy(&factors_[1], arguments.beta, sizeof factors_[1]);
        if (route.scale == SlicedScale{}) return;
        const float alpha = std::bit_cast<float>(factors_[0]);
        factors_[0] = std::bit_cast<std::uint32_t>(std::ldexp(alpha, -route.scale.a - route.scale.b));
    }

    void run(gemm::Update first_update) {
        const auto block_bytes = [&](Integer extent) {
            return static_cast<std::size_t>(extent / slice_tile * kernels_.panel_bytes());
        };
        packed_a_ = packed_block(0, block_bytes(blocks_.rows));
        packed_b_ = packed_block(1, block_bytes(blocks_.columns));
        const runtime::TileState tile_state;
        over_blocks(
            product_, blocks_,
            [&](const PanelRange& columns) {
                update_ = columns.first_step == 0 ? first_update : gemm::Update::add;
                pack(b_, columns, packed_b_);
            },
            [&](const PanelRange& rows, const PanelRange& columns) {
                pack(a_, rows, packed_a_);
                multiply_block(rows, columns);
            });
    }

private:
    void pack(const Source& source, const PanelRange& range, std::byte* to) {
        const PanelSource& panels = source.panels;
        float scale = source.scale;
        const Integer steps = kernels_.numbers().steps();
        const std::int64_t parameters[] = {range.depth / steps * steps, range.depth, panels.depth_stride,
                                           panels.stride};
        for (Integer at = 0; at < range.extent; at += slice_tile) {
            const int count = static_cast<int>(std::min<Integer>(slice_tile, range.extent - at));
            const std::byte* from =
                panels.data + ((range.first + at) * panels.stride + range.first_step * panels.depth_stride) *
                                  bytes_of(source.number);
            void* const buffers[] = {const_cast<std::byte*>(from),
                                     to + at / slice_tile * kernels_.panel_bytes(), &scale};
            kernels_.pack(panels.operand, source.scalar(), panels.kind(), count, scale != 1)(buffers,
                                                                                             parameters);
        }
    }

    void multiply_block(const PanelRange& rows, const PanelRange& columns) {
        const bool is_finished = epilogue_ && columns.first_step + columns.depth == product_.depth;
        SlicedKernels& kernels = is_finished ? epilogue_.epilogue->sliced() : kernels_;
        const Integer groups = ceil_divide(columns.depth, Integer{kernels_.numbers().steps()});
        for (Integer column = 0; column < columns.extent; column += slice_tile) {
            const int in_column = static_cast<int>(std::min<Integer>(slice_tile, columns.extent - column));
            const auto multiply = [&](Integer row, Integer tiles, int rows_of_tile) {
                if (tiles == 0 || rows_of_tile == 0) return;
                const Integer in_c = rows.first + row, at_c = columns.first + column;
                std::array<void*, 5 + most_operands> buffers = {
                    packed_a_ + row / slice_tile * kernels_.panel_bytes(),
                    packed_b_ + column / slice_tile * kernels_.panel_bytes(),
                    c_ + in_c + at_c * product_.c.column_stride, factors_};
                const bool becomes_float = product_.number == Number::int32;
                if (is_finished && becomes_float) buffers[4] = buffers[2];
                if (is_finished) epilogue_.put_operands(buffers.data() + (becomes_float ? 5 : 4), in_c, at_c);
                const std::int64_t parameters[] = {tiles, groups, product_.c.column_stride};
                kernels.tiles(rows_of_tile, in_column, update_, groups)(buffers.data(), parameters);
            };
            const Integer whole = rows.extent / slice_tile;
            multiply(0, whole, slice_tile);
            multiply(whole * slice_tile, 1, static_cast<int>(rows.extent % slice_tile));
        }
    }

    SlicedKernels& kernels_;
    const MatrixProduct& product_;
    Source a_, b_;
    std::uint32_t* c_;
    std::uint32_t factors_[2]; ///< α, β: float32, or int32 where C is
    gemm::Blocks blocks_;
    const EpilogueCall& epilogue_;
    gemm::Update update_ = gemm::Update::add; ///< of the block at hand
    std::byte* packed_a_ = nullptr;
    std::byte* packed_b_ = nullptr;
};

} // namespace

void multiply_sliced(const SlicedRoute& route, const MatrixProduct& product, const MatrixArguments& arguments,
                     gemm::Update update, Integer block_depth, const EpilogueCall& epilogue) {
    SlicedBlocks(route, product, arguments, block_depth, epilogue).run(update);
}

Integer sliced_block_depth(const SlicedRoute& route, const MatrixProduct& product) {
    const SlicedKernels& kernels = SlicedKernels::of(route.products, gemm::TileNumbers::of(product));
    return gemm::balanced_block(product.depth, kernels.schedule().block_depth, kernels.numbers().steps());
}

} // namespace swirl::planning
