#pragma once

#include "gemm/numbers.hpp"
#include "gemm/tile.hpp"
#include "target/cpu.hpp"

#include <string>
#include <string_view>

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
    int prefetch_a = 0; ///< so many steps ahead A's panel is fetched from the outer cache; 0: the CPU does it
    /// In a block: for each panel of B all panels of A; otherwise for each panel of A all of B.
    bool rows_inside = true;
    bool operator==(const Schedule&) const = default;
};

/// "tile=3x8 unroll=4 blocks=120x512x2048 inside=rows prefetch=c,next,a8": vectors by columns; rows by depth by columns.
std::string to_string(const Schedule& schedule);
/// Reads what to_string wrote, for vectors of so many lanes; UserError otherwise, and for what no schedule can be.
Schedule parse_schedule(std::string_view text, int lanes);

/// Pieces of nearly the same extent, a multiple of `step`, of at most about `most`.
Integer balanced_block(Integer extent, Integer most, Integer step);

/// The blocks that a product is cut into, all of nearly the same size.
struct Blocks {
    Integer rows = 1, depth = 1, columns = 1;
    bool operator==(const Blocks&) const = default;
};
/// Of at most so much depth; deeper blocks than the schedule's have fewer rows and columns.
Blocks blocks_of(const Schedule& schedule, Integer rows, Integer depth, Integer columns, Integer block_depth);

/// Whether the sums of a tile stay in registers, beside what a step loads.
bool fits_registers(const Numbers& numbers, const Tile& tile, const target::Cpu& cpu);
/// The model's cycles of a step along the depth, for each of its multiply-adds of vectors.
double cycles_of_step(const Numbers& numbers, const Tile& tile, const target::Cpu& cpu);
/// The model's blocks for a tile.
Schedule model_schedule_of(const Numbers& numbers, const Tile& tile, const target::Cpu& cpu);

/// The schedule from what the target's table says of registers and caches, as Yotov et al. derive ATLAS's parameters
/// ("Is search really necessary to generate high-performance BLAS?", 2005).
Schedule model_schedule(const Numbers& numbers, const target::Cpu& cpu);
inline Schedule model_schedule(Number number, const target::Cpu& cpu) {
    return model_schedule(Numbers::all(number), cpu);
}

} // namespace swirl::gemm
