#include "plan/gemm/cpu/amx/multiply.hpp"

#include "base/integer.hpp"
#include "gemm/cpu/schedule.hpp"
#include "plan/gemm/cpu/amx/kernels.hpp"
#include "plan/gemm/cpu/goto_blocks.hpp"
#include "plan/gemm/cpu/packing_buffers.hpp"
#include "runtime/cpu/tile_state.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace swirl::planning {

namespace {

using gemm::amx_tile;
using Operand = gemm::Operand;

/// Scalar type for packing: int8 and uint8 are copied without conversion.
DataType packed_scalar(DataType type) {
    return type == DataType::int8 ? DataType::uint8 : gemm::scalar_of(type);
}

class AmxBlocks {
public:
    AmxBlocks(AmxKernels& kernels, const AmxRoute& route, const MatrixProduct& product,
              const MatrixArguments& arguments, Integer kc, const MatrixExtras& extras)
        : kernels_(kernels),
          product_(product),
          extras_(extras),
          a_(Operand::a, route, product, arguments),
          b_(Operand::b, route, product, arguments),
          c_(static_cast<std::uint32_t*>(arguments.c)),
          epilogue_(extras.epilogue) {
        const gemm::AmxGemm& schedule = kernels_.schedule();
        blocks_ = {.mc = gemm::balanced_block(product.rows, schedule.mc, amx_tile),
                   .kc = kc,
                   .nc = gemm::balanced_block(product.columns, schedule.nc, amx_tile)};
        std::memcpy(&alpha_beta_[0], arguments.alpha, sizeof alpha_beta_[0]);
        std::memcpy(&alpha_beta_[1], arguments.beta, sizeof alpha_beta_[1]);
        if (route.scale == SplitScale{}) return;
        const float alpha = std::bit_cast<float>(alpha_beta_[0]);
        alpha_beta_[0] = std::bit_cast<std::uint32_t>(std::ldexp(alpha, -route.scale.a - route.scale.b));
    }

    void run(gemm::Update first_update) {
        const auto buffer = [&](int index, Integer extent) {
            return packing_buffer(index, static_cast<std::size_t>(shape().bytes_of_block(extent)));
        };
        if (!extras_.a) own_a_ = buffer(0, blocks_.mc);
        if (!extras_.b) own_b_ = buffer(1, blocks_.nc);
        const runtime::TileState tile_state;
        over_blocks(
            product_, extras_.of_k.value_or(runtime::IterationRange{0, product_.k}), blocks_,
            [&](const PanelRange& columns) {
                update_ = columns.first_k == 0 ? first_update : gemm::Update::add;
                packed_b_ = packed(b_, extras_.b, columns, own_b_);
            },
            [&](const PanelRange& rows, const PanelRange& columns) {
                packed_a_ = packed(a_, extras_.a, rows, own_a_);
                multiply_block(rows, columns);
            });
    }

private:
    PanelShape shape() const { return amx_panel_shape(kernels_, blocks_.kc); }

    /// A block's panels: packed before, or packed now.
    std::byte* packed(const AmxOperand& source, const PackedPanels& panels, const PanelRange& range,
                      std::byte* own) {
        if (panels)
            return const_cast<std::byte*>(panels.block(range.first, range.first_k, range.k_extent, shape()));
        pack_amx_panels(kernels_, source, range, own);
        return own;
    }

    void multiply_block(const PanelRange& rows, const PanelRange& columns) {
        const bool is_finished = epilogue_ && columns.first_k + columns.k_extent == product_.k;
        AmxKernels& kernels = is_finished ? epilogue_.epilogue->amx() : kernels_;
        const Integer k_groups = ceil_divide(columns.k_extent, Integer{kernels_.types().k_group()});
        for (Integer column = 0; column < columns.extent; column += amx_tile) {
            const int in_column = static_cast<int>(std::min<Integer>(amx_tile, columns.extent - column));
            const auto multiply = [&](Integer row, Integer tiles, int rows_of_tile) {
                if (tiles == 0 || rows_of_tile == 0) return;
                const Integer in_c = rows.first + row, at_c = columns.first + column;
                std::array<void*, 5 + most_operands> buffers = {
                    packed_a_ + row / amx_tile * kernels_.panel_bytes(),
                    packed_b_ + column / amx_tile * kernels_.panel_bytes(),
                    c_ + in_c + at_c * product_.c.column_stride, alpha_beta_};
                const bool becomes_float = product_.data_type == DataType::int32;
                if (is_finished && becomes_float) buffers[4] = buffers[2];
                if (is_finished) epilogue_.put_operands(buffers.data() + (becomes_float ? 5 : 4), in_c, at_c);
                const std::int64_t parameters[] = {tiles, k_groups, product_.c.column_stride};
                kernels.tiles(rows_of_tile, in_column, update_, k_groups)(buffers.data(), parameters);
            };
            const Integer whole = rows.extent / amx_tile;
            multiply(0, whole, amx_tile);
            multiply(whole * amx_tile, 1, static_cast<int>(rows.extent % amx_tile));
        }
    }

    AmxKernels& kernels_;
    const MatrixProduct& product_;
    const MatrixExtras& extras_;
    AmxOperand a_, b_;
    std::uint32_t* c_;
    std::uint32_t alpha_beta_[2]; ///< α, β: float32, or int32 if C is int32
    gemm::BlockSizes blocks_;
    const EpilogueCall& epilogue_;
    gemm::Update update_ = gemm::Update::add; ///< of the current block
    std::byte* own_a_ = nullptr;              ///< packing buffers
    std::byte* own_b_ = nullptr;
    std::byte* packed_a_ = nullptr; ///< panels of the current blocks
    std::byte* packed_b_ = nullptr;
};

} // namespace

AmxOperand::AmxOperand(Operand operand, const AmxRoute& route, const MatrixProduct& product,
                       const MatrixArguments& arguments)
    : panels(operand, operand == Operand::a ? arguments.a : arguments.b,
             operand == Operand::a ? product.a : product.b),
      data_type(operand == Operand::a ? product.type_of_a() : product.type_of_b()),
      scale(std::ldexp(1.0F, operand == Operand::a ? route.scale.a : route.scale.b)) {}

PanelShape amx_panel_shape(const AmxKernels& kernels, Integer kc) {
    return {.width = amx_tile,
            .kc = kc,
            .whole_bytes = kernels.panel_bytes(),
            .rest_bytes = kernels.panel_bytes()};
}

void pack_amx_panels(AmxKernels& kernels, const AmxOperand& source, const PanelRange& range, std::byte* to) {
    const PanelSource& panels = source.panels;
    float scale = source.scale;
    const Integer k_group = kernels.types().k_group();
    const std::int64_t parameters[] = {range.k_extent / k_group * k_group, range.k_extent, panels.k_stride,
                                       panels.stride};
    for (Integer at = 0; at < range.extent; at += amx_tile) {
        const int count = static_cast<int>(std::min<Integer>(amx_tile, range.extent - at));
        const std::byte* from =
            panels.data + ((range.first + at) * panels.stride + range.first_k * panels.k_stride) *
                              bytes_of(source.data_type);
        void* const buffers[] = {const_cast<std::byte*>(from), to + at / amx_tile * kernels.panel_bytes(),
                                 &scale};
        kernels.pack(panels.operand, packed_scalar(source.data_type), panels.kind(), count, scale != 1)(
            buffers, parameters);
    }
}

void multiply_amx(AmxKernels& kernels, const AmxRoute& route, const MatrixProduct& product,
                  const MatrixArguments& arguments, gemm::Update update, Integer kc,
                  const MatrixExtras& extras) {
    AmxBlocks(kernels, route, product, arguments, kc, extras).run(update);
}

std::vector<ir::Program> amx_programs(const AmxKernels& kernels, const MatrixProduct& product,
                                      const AmxKernels* epilogue) {
    const Integer kc = amx_kc(kernels, product);
    const auto count = [](Integer extent) { return static_cast<int>(std::min<Integer>(amx_tile, extent)); };
    const int rows = count(product.rows), columns = count(product.columns);
    const gemm::Update update = kc < product.k ? gemm::Update::add : gemm::Update::overwrite;
    const AmxKernels& finishing = epilogue != nullptr ? *epilogue : kernels;
    std::vector<ir::Program> programs = {gemm::amx_kernel(finishing.tiles_description(
        rows, columns, update, ceil_divide(kc, Integer{kernels.types().k_group()})))};
    for (const Operand operand : {Operand::a, Operand::b}) {
        const bool is_a = operand == Operand::a;
        const PanelSource panels(operand, nullptr, is_a ? product.a : product.b);
        programs.push_back(gemm::amx_pack(
            kernels.pack_description(operand, packed_scalar(is_a ? product.type_of_a() : product.type_of_b()),
                                     panels.kind(), is_a ? rows : columns, false)));
        programs.back().name += is_a ? "_a" : "_b";
    }
    return programs;
}

Integer amx_kc(const AmxKernels& kernels, const MatrixProduct& product) {
    return gemm::balanced_block(product.k, kernels.schedule().kc, kernels.types().k_group());
}

} // namespace swirl::planning
