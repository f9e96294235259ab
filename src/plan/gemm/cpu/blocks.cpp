#include "plan/gemm/cpu/blocks.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "plan/gemm/cpu/goto_blocks.hpp"
#include "plan/gemm/cpu/packing_buffers.hpp"
#include "plan/gemm/values.hpp"
#include "runtime/cpu/team.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace swirl::planning {

namespace {

using gemm::Update;
using Operand = MatrixKernels::Operand;

/// Largest tile for a region's partial tiles.
constexpr Integer most_tile_bytes = 8192;

class Blocks {
public:
    Blocks(MatrixKernels& kernels, const MatrixProduct& product, const MatrixArguments& arguments, Integer kc,
           const MatrixRegion& region, const MatrixExtras& extras)
        : kernels_(kernels),
          extras_(extras),
          epilogue_(extras.epilogue),
          schedule_(kernels.schedule()),
          product_(product),
          region_(region),
          bytes_(bytes_of(product.data_type)),
          a_(Operand::a, arguments.a, product.a),
          b_(Operand::b, arguments.b, product.b),
          c_(static_cast<std::byte*>(arguments.c)) {
        std::memcpy(alpha_beta_, arguments.alpha, static_cast<std::size_t>(bytes_));
        std::memcpy(alpha_beta_ + bytes_, arguments.beta, static_cast<std::size_t>(bytes_));
        blocks_ = gemm::blocks_of(schedule_, product.rows, product.k, product.columns, kc);
        ensure(!epilogue_ || epilogue_.epilogue->kernels().schedule() == schedule_,
               "an epilogue of tiles of another schedule");
        ensure(region.half == MatrixRegion::Half::all ||
                   schedule_.tile.rows() * schedule_.tile.columns * bytes_ <= most_tile_bytes,
               "tiles of {} by {}", schedule_.tile.rows(), schedule_.tile.columns);
    }

    void run(Update first_update) {
        const auto buffer = [&](int index, Operand operand, Integer extent) {
            return packing_buffer(index, static_cast<std::size_t>(shape(operand).bytes_of_block(extent)));
        };
        if (!extras_.a) own_a_ = buffer(0, Operand::a, blocks_.mc);
        if (!extras_.b) own_b_ = buffer(1, Operand::b, blocks_.nc);
        over_blocks(
            product_, extras_.of_k.value_or(runtime::IterationRange{0, product_.k}), blocks_,
            [&](const PanelRange& columns) { begin_columns(columns, first_update); },
            [&](const PanelRange& rows, const PanelRange& columns) {
                if (region_.contains_none(rows.first, rows.extent, columns.first, columns.extent)) return;
                packed_a_ = packed(a_, extras_.a, rows, own_a_);
                multiply_block(rows.first, rows.extent, columns.first, columns.extent);
            });
    }

private:
    PanelShape shape(Operand operand) const { return panel_shape(kernels_, operand, blocks_.kc, product_.k); }

    void begin_columns(const PanelRange& columns, Update first_update) {
        k_extent_ = columns.k_extent;
        k_groups_ = kernels_.k_groups_of(k_extent_);
        update_ = columns.first_k == 0 ? first_update : Update::add;
        is_last_ = columns.first_k + k_extent_ == product_.k;
        packed_b_ = packed(b_, extras_.b, columns, own_b_);
    }

    /// A block's panels: packed before, or packed now.
    std::byte* packed(const PanelSource& source, const PackedPanels& panels, const PanelRange& range,
                      std::byte* own) {
        if (panels)
            return const_cast<std::byte*>(
                panels.block(range.first, range.first_k, range.k_extent, shape(source.operand)));
        pack_panels(kernels_, source, range, own);
        return own;
    }

    /// Offset in C of a block.
    struct Corner {
        Integer row, column;
    };

    void multiply_block(Integer first_row, Integer rows, Integer first_column, Integer columns) {
        const Corner corner{first_row, first_column};
        const Integer tile_rows = schedule_.tile.rows(), tile_columns = schedule_.tile.columns;
        const auto over_rows = [&](auto&& body) {
            for (Integer row = 0; row < rows; row += tile_rows)
                body(runtime::IterationRange{row, std::min(row + tile_rows, rows)});
        };
        const auto over_columns = [&](auto&& body) {
            for (Integer column = 0; column < columns; column += tile_columns)
                body(runtime::IterationRange{column, std::min(column + tile_columns, columns)});
        };
        using runtime::IterationRange;
        if (schedule_.rows_innermost)
            over_columns([&](const IterationRange& c) {
                over_rows([&](const IterationRange& r) { multiply_tile(corner, r, c); });
            });
        else
            over_rows([&](const IterationRange& r) {
                over_columns([&](const IterationRange& c) { multiply_tile(corner, r, c); });
            });
    }

    void multiply_tile(const Corner& corner, runtime::IterationRange rows, runtime::IterationRange columns) {
        const int in_row = static_cast<int>(rows.last - rows.first);
        const int in_column = static_cast<int>(columns.last - columns.first);
        const Integer in_c = corner.row + rows.first, at_c = corner.column + columns.first;
        if (region_.contains_none(in_c, in_row, at_c, in_column)) return;
        std::byte* const target = c_ + (in_c + at_c * product_.c.column_stride) * bytes_;
        const Integer a_panel = rows.first / schedule_.tile.rows(),
                      b_panel = columns.first / schedule_.tile.columns;
        void* const buffers[] = {packed_a_ + a_panel * kernels_.panel_bytes(Operand::a, k_extent_),
                                 packed_b_ + b_panel * kernels_.panel_bytes(Operand::b, k_extent_), target,
                                 alpha_beta_, share_of_next_panel(a_panel, b_panel)};
        const std::int64_t parameters[] = {k_groups_ / schedule_.unroll * schedule_.unroll, k_groups_,
                                           product_.c.column_stride};
        if (is_last_ && epilogue_)
            finish_tile(buffers, parameters, {in_c, in_c + in_row}, {at_c, at_c + in_column});
        else if (region_.contains_all(in_c, in_row, at_c, in_column))
            kernels_.tile(in_row, in_column, update_)(buffers, parameters);
        else
            multiply_partial_tile(buffers, {in_c, in_c + in_row}, {at_c, at_c + in_column});
    }

    /// The slice of the next panel that a tile prefetches while it is computed. The panel is one of B if rows are the
    /// inner loop, otherwise one of A; tiles count from 0.
    std::byte* share_of_next_panel(Integer a_panel, Integer b_panel) {
        const bool is_b = schedule_.rows_innermost;
        const Integer bytes = kernels_.panel_bytes(is_b ? Operand::b : Operand::a, k_extent_);
        const Integer share = k_groups_ / schedule_.unroll * target::line_bytes;
        const Integer tile = is_b ? a_panel : b_panel;
        std::byte* const here = is_b ? packed_b_ + b_panel * bytes : packed_a_ + a_panel * bytes;
        return tile * share < bytes ? here + bytes + tile * share : here;
    }

    /// A tile of the last block of k, with the epilogue.
    void finish_tile(std::span<void* const> usual, const std::int64_t* parameters,
                     runtime::IterationRange rows, runtime::IterationRange columns) {
        std::array<void*, 6 + most_operands> buffers;
        // Without prefetching, kernels have no `next` parameter.
        std::size_t count = schedule_.prefetch_next ? usual.size() : usual.size() - 1;
        std::copy_n(usual.begin(), count, buffers.begin());
        if (product_.data_type == DataType::int32) buffers[count++] = usual[2]; // C again
        epilogue_.put_operands(buffers.data() + count, rows.first, columns.first);
        epilogue_.epilogue->kernels().tile(static_cast<int>(rows.last - rows.first),
                                           static_cast<int>(columns.last - columns.first),
                                           update_)(buffers.data(), parameters);
    }

    /// A tile partly inside the region: computed in a buffer besides C.
    void multiply_partial_tile(void* const* whole, runtime::IterationRange rows,
                               runtime::IterationRange columns) {
        alignas(64) std::byte tile[most_tile_bytes];
        const Integer in_row = rows.last - rows.first, in_column = columns.last - columns.first;
        void* const buffers[] = {whole[0], whole[1], tile, alpha_beta_, whole[4]};
        const std::int64_t parameters[] = {k_groups_ / schedule_.unroll * schedule_.unroll, k_groups_,
                                           in_row};
        kernels_.tile(static_cast<int>(in_row), static_cast<int>(in_column), Update::overwrite)(buffers,
                                                                                                parameters);
        const bool is_lower = region_.half == MatrixRegion::Half::lower;
        const Integer below = is_lower ? rows.first - columns.first : columns.first - rows.first;
        void* const of_triangle[] = {tile, whole[2], alpha_beta_ + bytes_};
        const std::int64_t stride[] = {product_.c.column_stride};
        kernels_.triangle({.rows = static_cast<int>(in_row),
                           .columns = static_cast<int>(in_column),
                           .triangle = is_lower ? gemm::Triangle::lower : gemm::Triangle::upper,
                           .diagonal = static_cast<int>(below + region_.offset),
                           .update = update_})(of_triangle, stride);
    }

    MatrixKernels& kernels_;
    const MatrixExtras& extras_;
    const EpilogueCall& epilogue_;
    const gemm::BlockedGemm& schedule_;
    const MatrixProduct& product_;
    const MatrixRegion& region_;
    Integer bytes_;
    PanelSource a_, b_;
    std::byte* c_;
    alignas(16) std::byte alpha_beta_[32]; ///< α, β
    gemm::BlockSizes blocks_;
    Integer k_extent_ = 0; ///< of the current block
    Integer k_groups_ = 0; ///< k-groups of the current block
    bool is_last_ = false; ///< the current block is the last one along k
    Update update_ = Update::add;
    std::byte* own_a_ = nullptr; ///< packing buffers
    std::byte* own_b_ = nullptr;
    std::byte* packed_a_ = nullptr; ///< panels of the current blocks
    std::byte* packed_b_ = nullptr;
};

} // namespace

void multiply_blocks(MatrixKernels& kernels, const MatrixProduct& product, const MatrixArguments& arguments,
                     gemm::Update update, Integer kc, const MatrixRegion& region,
                     const MatrixExtras& extras) {
    Blocks(kernels, product, arguments, kc, region, extras).run(update);
}

} // namespace swirl::planning
