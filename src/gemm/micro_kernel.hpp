#pragma once

#include "gemm/tile_writer.hpp"
#include "ir/program.hpp"

namespace swirl::gemm {

/// A tile of C from packed panels of A and B (see pack.hpp).
struct MicroKernel {
    Number number = Number::float64;
    Tile tile = {};  ///< of the panels
    int rows = 1;    ///< that C has here, up to those of the tile
    int columns = 1; ///< likewise
    int unroll = 4;  ///< steps along the depth in an iteration: the tutorial's K_U
    Update update = Update::overwrite;
    bool prefetch_c = true; ///< the tile of C is fetched while the product is computed
    bool prefetch_next =
        false; ///< and, a line for each iteration, what `next` points to: the panel of B after this one
    int prefetch_a = 0; ///< so many steps ahead A's panel is fetched; 0: it is not
    Integer most_depth = 1;
    Integer most_stride = 1; ///< of C's columns
    Epilogue epilogue = {};  ///< its operands are given from the tile's first element on
    Grouping grouping = {};  ///< of panels; sums of int32 with a correction begin as what follows B's panel
    bool operator==(const MicroKernel&) const = default;
};

/// The program, with buffers `a`, `b`, `c`, `factors` (α, β) if it is to be fetched, `next`, `finished` (C again, as float32) where
/// int32 sums have an epilogue, and those of the epilogue; and, in
/// this order, the parameters
///   steps          the depth, in groups of steps, rounded down to a multiple of `unroll`
///   depth          in groups, ≤ most_depth
///   column_stride  of C, in numbers, ≥ 0 and ≤ most_stride; its rows are next to each other
/// Every element of C is one chain of multiply-adds in the order of the depth, whatever the tile.
ir::Program micro_kernel(const MicroKernel& kernel);

} // namespace swirl::gemm
