#pragma once

#include "base/integer.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "gemm/cpu/tile_writer.hpp"
#include "gemm/whole_problem.hpp"
#include "target/cpu.hpp"

#include <algorithm>
#include <utility>

namespace swirl::gemm {

/// Bytes of a core's own outer cache; a guess if the target's table has none.
inline Integer outer_cache_bytes(const target::Cpu& cpu) {
    constexpr Integer least = 256 << 10;
    return std::max<Integer>(cpu.cache_bytes, least);
}

/// What programs of whole products share, whichever way they multiply a tile: the buffers of C, the loop over blocks of
/// K, the loops over tiles. The product must outlive it.
class SmallProgram {
public:
    SmallProgram(const SmallGemm& small, const char* name)
        : small_(small),
          product_(small.product),
          components_(scalars_in(product_.data_type)),
          scalar_(scalar_of(product_.data_type)),
          builder_(name) {}

protected:
    /// C, α and β. A and B come first.
    void add_result() {
        c_ = add_matrix(builder_, ir::ArgumentRole::c, product_.data_type, product_.c, product_.rows,
                        product_.columns, true);
        alpha_ = builder_.input("alpha", scalar_, components_, {ir::ArgumentRole::alpha});
        beta_ = builder_.input("beta", scalar_, components_, {ir::ArgumentRole::beta});
    }
    /// The epilogue's arrays, and a buffer for so many scalars that registers accumulate. All others come first.
    void add_epilogue_and_accumulators(Integer accumulator_scalars) {
        if (!small_.epilogue.is_identity())
            epilogue_ = EpilogueBuffers(builder_, product_.data_type, small_.epilogue, product_.rows,
                                        product_.columns);
        accumulators_ = builder_.local("accumulators", scalar_, accumulator_scalars);
    }

    /// multiply(k, extent, update) for blocks of K; the first one applies β.
    template <class Multiply> void for_each_k_block(Integer block, Multiply&& multiply) {
        const Integer k_extent = product_.k;
        // The last block is separate if the epilogue finishes elements there.
        const Integer last = epilogue_.epilogue != nullptr || k_extent % block != 0
                                 ? (k_extent - 1) / block * block
                                 : k_extent;
        multiply(Affine(0), std::min(block, k_extent), small_.update);
        builder_.for_loop("block", std::min(block, last), last, block, ir::For::Kind::serial,
                          [&](const Affine& at) { multiply(at, block, Update::add); });
        if (last > 0 && last < k_extent) multiply(Affine(last), k_extent - last, Update::add);
    }

    /// multiply(row, rows, column, columns) for all tiles of C, those at its end smaller. With rows outermost,
    /// begin_rows(row, rows) comes before the tiles of these rows.
    template <class Multiply, class BeginRows>
    void for_each_tile(Integer tile_rows, Integer tile_columns, bool rows_outermost, Multiply&& multiply,
                       BeginRows&& begin_rows) {
        const auto each_row = [&](auto&& body) {
            for_each_block(builder_, "i", product_.rows, tile_rows, body);
        };
        const auto each_column = [&](auto&& body) {
            for_each_block(builder_, "j", product_.columns, tile_columns, body);
        };
        const auto tile_at = [&](const Affine& row, Integer rows, const Affine& column, Integer columns) {
            multiply(row, static_cast<int>(rows), column, static_cast<int>(columns));
        };
        if (rows_outermost)
            each_row([&](const Affine& row, Integer rows) {
                begin_rows(row, rows);
                each_column(
                    [&](const Affine& column, Integer columns) { tile_at(row, rows, column, columns); });
            });
        else
            each_column([&](const Affine& column, Integer columns) {
                each_row([&](const Affine& row, Integer rows) { tile_at(row, rows, column, columns); });
            });
    }

    template <class Multiply>
    void for_each_tile(Integer tile_rows, Integer tile_columns, bool rows_outermost, Multiply&& multiply) {
        for_each_tile(tile_rows, tile_columns, rows_outermost, std::forward<Multiply>(multiply),
                      [](const Affine&, Integer) {});
    }

    /// The tile of C that begins here. The last block of K applies the epilogue.
    TileResult result_at(const Affine& row, const Affine& column, const Affine& k, Integer k_extent) const {
        const bool is_last = k.is_constant() && k.constant() + k_extent == product_.k;
        return {.buffer = c_,
                .origin = components_ * (product_.c.row_stride * row + product_.c.column_stride * column),
                .row_stride = product_.c.row_stride,
                .column_stride = components_ * product_.c.column_stride,
                .alpha = alpha_,
                .beta = beta_,
                .is_plain = small_.alpha_is_one,
                .epilogue = is_last && epilogue_.epilogue != nullptr ? &epilogue_ : nullptr,
                .first_row = row,
                .first_column = column};
    }

    const SmallGemm& small_;
    const MatrixProduct& product_;
    int components_;
    DataType scalar_;
    ir::Builder builder_;
    ir::Buffer c_ = 0, alpha_ = 0, beta_ = 0, accumulators_ = 0;
    EpilogueBuffers epilogue_;
};

} // namespace swirl::gemm
