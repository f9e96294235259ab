#pragma once

#include "gemm/numbers.hpp"
#include "gemm/tile.hpp"
#include "target/cpu.hpp"

namespace swirl::gemm {

/// Every choice of a blocked product. C is computed in blocks of columns, each in blocks of the depth, each in blocks of rows,
/// each in tiles: a block of B is packed once, a block of A for each block of B, and a panel of B stays in the nearest cache
/// while the panels of a block of A, in a core's own outer cache, pass by (Goto and van de Geijn 2008, section 4).
struct Schedule {
    Tile tile = {};
    int unroll = 4;            ///< steps along the depth in an iteration of a tile's loop
    Integer block_rows = 1;    ///< m_c: of a packed block of A
    Integer block_depth = 1;   ///< k_c
    Integer block_columns = 1; ///< n_c: of a packed block of B
    bool prefetch_c = true;    ///< a tile of C is fetched while its sums are computed
    bool prefetch_next = true; ///< the next panel of B is fetched while tiles use the one before
    bool operator==(const Schedule&) const = default;
};

/// Pieces of nearly the same extent, a multiple of `step`, of at most about `most`.
Integer balanced_block(Integer extent, Integer most, Integer step);

/// The schedule from what the target's table says of registers and caches, as Yotov et al. derive ATLAS's parameters
/// ("Is search really necessary to generate high-performance BLAS?", 2005).
Schedule model_schedule(const Numbers& numbers, const target::Cpu& cpu);
inline Schedule model_schedule(Number number, const target::Cpu& cpu) {
    return model_schedule(Numbers::all(number), cpu);
}

} // namespace swirl::gemm
