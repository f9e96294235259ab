#pragma once

#include "gemm/cpu/tile.hpp"
#include "gemm/operand_types.hpp"
#include "target/cpu.hpp"

#include <string>
#include <string_view>

namespace swirl::gemm {

/// The parameters of a blocked GEMM. C is computed in blocks of columns, these in blocks of K, these in blocks of
/// rows, these in tiles. A block of B is packed once, a block of A once per block of B. A panel of B stays in L1
/// while the panels of a block of A stream from a core's own outer cache (Goto and van de Geijn 2008, section 4).
struct Schedule {
    Tile tile = {};
    int unroll = 4;            ///< k indices per iteration of a tile's loop
    Integer mc = 1;            ///< m_c: rows of a packed block of A
    Integer kc = 1;            ///< k_c
    Integer nc = 1;            ///< n_c: columns of a packed block of B
    bool prefetch_c = true;    ///< prefetches a tile of C while it is computed
    bool prefetch_next = true; ///< prefetches the next panel of B while tiles use the current one
    int prefetch_a = 0;        ///< prefetch distance in A's panel, in k indices; 0: left to the hardware
    /// Loop order within a block: all panels of A for each panel of B; otherwise all of B for each panel of A.
    bool rows_innermost = true;
    bool operator==(const Schedule&) const = default;
};

/// "tile=3x8 unroll=4 blocks=120x512x2048 inside=rows prefetch=c,next,a8": tile in vectors × columns; blocks in m_c ×
/// k_c × n_c.
std::string to_string(const Schedule& schedule);
/// Parses what to_string wrote, for vectors of `lanes` lanes; UserError for anything that is not a schedule.
Schedule parse_schedule(std::string_view text, int lanes);

/// Block extent that divides `extent` nearly evenly: a multiple of `step`, at most about `most`.
Integer balanced_block(Integer extent, Integer most, Integer step);

/// Block sizes of a problem, all blocks nearly equal.
struct BlockSizes {
    Integer mc = 1, kc = 1, nc = 1;
    bool operator==(const BlockSizes&) const = default;
};
/// With a K extent of at most `kc`; blocks deeper than the schedule's have fewer rows and columns.
BlockSizes blocks_of(const Schedule& schedule, Integer rows, Integer k_extent, Integer columns, Integer kc);

/// Whether a tile's accumulators and the operands of one k fit the registers.
bool fits_registers(const OperandTypes& types, const Tile& tile, const target::Cpu& cpu);
/// The model's cycles per k index, divided by the vector multiply-adds in it.
double cycles_per_k(const OperandTypes& types, const Tile& tile, const target::Cpu& cpu);
/// The model's block sizes for a tile.
Schedule model_schedule_of(const OperandTypes& types, const Tile& tile, const target::Cpu& cpu);

/// The schedule derived from the target's registers and caches, as Yotov et al. derive ATLAS's parameters ("Is search
/// really necessary to generate high-performance BLAS?", 2005).
Schedule model_schedule(const OperandTypes& types, const target::Cpu& cpu);
inline Schedule model_schedule(DataType data_type, const target::Cpu& cpu) {
    return model_schedule(OperandTypes::all(data_type), cpu);
}

} // namespace swirl::gemm
