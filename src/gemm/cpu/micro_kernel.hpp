#pragma once

#include "gemm/cpu/tile_writer.hpp"
#include "ir/program.hpp"

namespace swirl::gemm {

/// Computes a tile of C from packed panels of A and B (see pack.hpp).
struct MicroKernel {
    DataType data_type = DataType::float64;
    Tile tile = {};  ///< of the panels
    int rows = 1;    ///< valid rows of C, at most the tile's
    int columns = 1; ///< valid columns
    int unroll = 4;  ///< k indices per loop iteration: the tutorial's K_U
    Update update = Update::overwrite;
    bool prefetch_c = true;     ///< prefetches the C tile during the multiplication
    bool prefetch_next = false; ///< and `next`, the panel of B after this one, a cache line per iteration
    int prefetch_a = 0;         ///< prefetch distance in A's panel, in k indices; 0: none
    Integer max_k = 1;
    Integer max_stride = 1;  ///< of C's columns
    Epilogue epilogue = {};  ///< its operands start at the tile's first element
    KPacking k_packing = {}; ///< of panels; a correction's initial accumulators follow B's panel
    bool operator==(const MicroKernel&) const = default;
};

/// The program. Buffers: `a`, `b`, `c`, `alpha_beta` (α, β), `prefetched` if there is any, `epilogue_output` (C again, as
/// float32) where int32 accumulators have an epilogue, and the epilogue's operands. Parameters, in this order:
///   k_main         K in K groups, rounded down to a multiple of `unroll`
///   k              K in K groups, ≤ max_k
///   column_stride  of C, in elements, ≥ 0 and ≤ max_stride; C's row stride is 1
/// Every element of C is one chain of multiply-adds in ascending k, for any tile.
ir::Program micro_kernel(const MicroKernel& kernel);

} // namespace swirl::gemm
