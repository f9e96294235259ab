#pragma once

#include "gemm/bf16_split.hpp"
#include "gemm/cpu/tile_writer.hpp"
#include "gemm/epilogue.hpp"
#include "ir/program.hpp"
#include "target/x86/tile_registers.hpp"

namespace swirl::gemm {

/// Rows and columns of the C tiles that the tile-register kernel computes.
constexpr int amx_tile = 2 * target::x86::tile_rows;

/// What tile registers multiply: bfloat16 with float32 accumulators, or bytes with int32 accumulators.
struct AmxTypes {
    DataType a = DataType::bfloat16;
    DataType b = DataType::bfloat16;
    auto operator<=>(const AmxTypes&) const = default;

    /// The types for a GEMM of bfloat16, of float32 as a bf16 split, or of bytes.
    static AmxTypes of(const MatrixProduct& product) {
        if (product.data_type != DataType::int32) return {};
        return {product.type_of_a(), product.type_of_b()};
    }
    bool are_bytes() const { return a != DataType::bfloat16; }
    DataType accumulator() const { return are_bytes() ? DataType::int32 : DataType::float32; }
    /// Element type of packed panels; they hold four bytes in an int32, the lowest k index in the lowest byte.
    DataType in_panels() const { return are_bytes() ? DataType::int32 : DataType::bfloat16; }
    int in_register() const { return target::x86::tile_bytes / bytes_of(in_panels()); }
    /// Extent along K of one tile register: a K group.
    int k_group() const { return are_bytes() ? 64 : 32; }
};

/// Bytes of a packed panel of `terms` split terms and `k_groups` K groups; each group has two tile registers per
/// term.
constexpr Integer amx_panel_bytes(int terms, Integer k_groups) {
    return 2 * terms * target::x86::tile_bytes * k_groups;
}

/// Computes up to max_tiles tiles of C, one below the other, from packed panels of the split terms of A and one such
/// panel of B (see amx_pack.hpp), in tile registers. While one tile is multiplied, the previous one is added to C.
struct AmxKernel {
    Bf16Split product = {};
    AmxTypes types = {};    ///< bytes have a single term
    int rows = amx_tile;    ///< rows of C in each tile
    int columns = amx_tile; ///< columns of C in each tile
    Update update = Update::overwrite;
    int columns_at_once = 4;        ///< columns of the previous tile added to C per K group
    Integer k_groups_per_panel = 1; ///< distance between panels of A, in K groups
    Integer max_tiles = 1;
    Integer max_stride = 1; ///< of C's columns
    Epilogue epilogue = {};
};

/// The smallest of 1, 2, 4 … columns per K group that adds a whole tile to C within this many K groups.
int columns_at_once(Integer k_groups);

/// The program. Buffers: `a`, `b`, `c`, `alpha_beta` (α, β) and the epilogue's operands. Parameters, in this order:
///   tiles          at most max_tiles
///   groups         K in K groups, at most k_groups_per_panel; columns_at_once · groups ≥ columns
///   column_stride  of C, in elements, ≥ 0 and ≤ max_stride; C's row stride is 1
ir::Program amx_kernel(const AmxKernel& kernel);

} // namespace swirl::gemm
