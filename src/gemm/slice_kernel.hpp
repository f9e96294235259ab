#pragma once

#include "gemm/epilogue.hpp"
#include "gemm/sliced_product.hpp"
#include "gemm/tile_writer.hpp"
#include "ir/program.hpp"
#include "target/x86/tile_registers.hpp"

namespace swirl::gemm {

/// Rows and columns of the tiles of C that tile registers are multiplied in.
constexpr int slice_tile = 2 * target::x86::tile_rows;

/// What tile registers multiply: bfloat16, in sums of float32, or bytes, in sums of int32.
struct TileNumbers {
    Number a = Number::bfloat16;
    Number b = Number::bfloat16;
    auto operator<=>(const TileNumbers&) const = default;

    /// Of a product of bfloat16, float32 in slices, or bytes.
    static TileNumbers of(const MatrixProduct& product) {
        if (product.number != Number::int32) return {};
        return {product.number_of_a(), product.number_of_b()};
    }
    bool are_bytes() const { return a != Number::bfloat16; }
    Number sums() const { return are_bytes() ? Number::int32 : Number::float32; }
    /// Of panels, which hold four bytes in an int32, the first step lowest.
    ir::Scalar in_panels() const { return are_bytes() ? ir::Scalar::int32 : ir::Scalar::bfloat16; }
    int in_register() const { return target::x86::tile_bytes / ir::size_in_bytes(in_panels()); }
    /// Along the depth that a register holds: a group.
    int steps() const { return are_bytes() ? 64 : 32; }
};

/// Bytes of a packed panel of slices for so many groups of steps; a group is, slice by slice, two tile registers.
constexpr Integer slice_panel_bytes(int slices, Integer groups) {
    return 2 * slices * target::x86::tile_bytes * groups;
}

/// Some tiles of C below each other from packed panels of slices of A and one of B (see slice_pack.hpp): products in
/// tile registers. While those of a tile are computed, the tile before is added to C.
struct SliceKernel {
    SlicedProduct product = {};
    TileNumbers numbers = {}; ///< bytes are a single slice
    int rows = slice_tile;    ///< that C has in each of the tiles
    int columns = slice_tile; ///< likewise
    Update update = Update::overwrite;
    int columns_at_once = 4;     ///< of the tile before are added to C with each group of steps
    Integer groups_in_panel = 1; ///< from one panel of A to the next, in groups of steps
    Integer most_tiles = 1;
    Integer most_stride = 1; ///< of C's columns
    Epilogue epilogue = {};
};

/// The least of 1, 2, 4 … columns at once with which a tile is added to C in so many groups of steps.
int columns_at_once(Integer groups);

/// The program, with buffers `a`, `b`, `c`, `factors` (α, β) and the epilogue's operands; and, in this order, the
/// parameters
///   tiles          at most most_tiles
///   groups         the depth in groups of steps, at most groups_in_panel; columns_at_once · groups ≥ columns
///   column_stride  of C, in numbers, ≥ 0 and ≤ most_stride; its rows are next to each other
ir::Program slice_kernel(const SliceKernel& kernel);

} // namespace swirl::gemm
