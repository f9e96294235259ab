#pragma once

#include "gemm/sliced_product.hpp"
#include "gemm/tile_writer.hpp"
#include "ir/program.hpp"

namespace swirl::gemm {

/// Rows and columns of the tiles of C that slices are multiplied in, steps along the depth at once, and numbers of a tile
/// register full of bfloat16.
constexpr int slice_tile = 32, slice_steps = 32, slice_register = 512;

/// Numbers of a packed panel of slices for so many groups of slice_steps steps; a group is, slice by slice, two tile registers.
constexpr Integer slice_panel(int slices, Integer groups) { return 2 * slices * slice_register * groups; }

/// Some tiles of C below each other, float32, from packed panels of slices of A and one of B (see slice_pack.hpp): products in
/// tile registers. While those of a tile are computed, the tile before is added to C.
struct SliceKernel {
    SlicedProduct product = {};
    int rows = slice_tile;    ///< that C has in each of the tiles
    int columns = slice_tile; ///< likewise
    Update update = Update::overwrite;
    int columns_at_once = 4; ///< of the tile before are added to C with each group of steps
    int prefetched_next =
        0; ///< lines, for each group of steps, of what `next` points to: the panel of B after this one
    Integer groups_in_panel = 1; ///< from one panel of A to the next, in groups of steps
    Integer most_tiles = 1;
    Integer most_stride = 1; ///< of C's columns
};

/// The least of 1, 2, 4 … columns at once with which a tile is added to C in so many groups of steps.
int columns_at_once(Integer groups);

/// The program, with buffers `a`, `b`, `c`, `factors` (α, β) and, if it is to be fetched, `next`; and, in this order, the
/// parameters
///   tiles          at most most_tiles
///   groups         the depth in groups of slice_steps, at most groups_in_panel; columns_at_once · groups ≥ columns
///   column_stride  of C, in numbers, ≥ 0 and ≤ most_stride; its rows are next to each other
ir::Program slice_kernel(const SliceKernel& kernel);

} // namespace swirl::gemm
