#pragma once

#include "gemm/cpu/tile.hpp"
#include "ir/program.hpp"

#include <string_view>

namespace swirl::gemm {

/// Nesting of the block loops, outermost first: i counts rows, j columns, k runs along K. Within a block, rows are
/// outside columns if i precedes j; k is always innermost there.
enum class LoopOrder : std::uint8_t { ijk, ikj, jik, jki, kij, kji };

/// What the multiplication of blocks of A and B reads.
enum class Copies : std::uint8_t {
    none,   ///< the matrices in place
    blocks, ///< copies of blocks, row after row
    panels, ///< copies in the order in which tiles read them: for each k, M_U elements of A, N_U of B
};

/// A matrix multiplication as the tutorial derives it (Püschel, Franchetti and Chellappa, section 5): loops over
/// blocks of C, A and B; in each block a mini-MMM with loops over tiles of M_U × N_U accumulators in registers; a
/// micro-MMM for each k. The same program with different parameters ranges from the triple loop (everything 1) to
/// vectors and packed panels.
struct LoopNest {
    MatrixProduct product; ///< C = A·B, real; C's columns are contiguous
    LoopOrder order = LoopOrder::ijk;
    Integer mc = 1; ///< N_B: rows of a block of C and A
    Integer nc = 1; ///< columns of a block of C and B
    Integer kc = 1; ///< K extent of a block of A and B
    Copies copies = Copies::none;
    int tile_rows = 1;    ///< M_U
    int tile_vectors = 1; ///< N_U / lanes
    int lanes = 1;  ///< of vectors along C's columns; more than 1 needs B's columns contiguous or copied
    int unroll = 1; ///< K_U: k indices per loop iteration
    /// Software pipelining of a micro-MMM: an element is loaded this many multiply-adds before its first use …
    int load_distance = 0;
    /// … and, unless fused, a product is computed this many multiply-adds before its addition.
    int add_distance = 0;
    bool is_fused = false; ///< uses fused multiply-add
    bool operator==(const LoopNest&) const = default;

    int tile_columns() const { return lanes * tile_vectors; }
};

std::string_view name_of(LoopOrder order);

/// The program. Buffers: `a`, `b`, `c` and, with copies, scratch `a_copy` and `b_copy`.
ir::Program loop_nest(const LoopNest& nest);

/// The nest's parameters on one line, such as "ijk, blocks 48x48x48 copied, tile 3x3, unroll 4".
std::string to_string(const LoopNest& nest);

} // namespace swirl::gemm
