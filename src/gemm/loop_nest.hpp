#pragma once

#include "gemm/tile.hpp"
#include "ir/program.hpp"

#include <string_view>

namespace swirl::gemm {

/// Which loop over blocks is outside which: i counts rows, j columns, k the depth. Within a block rows are outside columns
/// where i stands before j; the depth is always innermost there.
enum class LoopOrder : std::uint8_t { ijk, ikj, jik, jki, kij, kji };

/// What blocks of A and B are multiplied from.
enum class Copies : std::uint8_t {
    none,   ///< where they lie
    blocks, ///< copies, each block's rows one behind the other
    panels, ///< copies in the order in which tiles read them: for each step M_U numbers of A, N_U of B
};

/// A product as the tutorial derives it (Püschel, Franchetti and Chellappa, section 5): loops over blocks of C, A and B,
/// in each of them a mini-MMM: loops over tiles of M_U × N_U sums in registers, a micro-MMM a step. From one iteration an
/// element (everything 1) to vectors and panels it is one program with other parameters.
struct LoopNest {
    MatrixProduct product; ///< C = A·B of real numbers; C's columns are next to each other
    LoopOrder order = LoopOrder::ijk;
    Integer block_rows = 1;    ///< N_B, of C and A
    Integer block_columns = 1; ///< of C and B
    Integer block_depth = 1;   ///< of A and B
    Copies copies = Copies::none;
    int tile_rows = 1;    ///< M_U
    int tile_vectors = 1; ///< N_U / lanes
    int lanes = 1;  ///< of vectors along C's columns; more than 1 wants B's next to each other or copied
    int unroll = 1; ///< K_U: steps along the depth in an iteration
    /// The schedule of a micro-MMM's multiply-adds: a number is loaded so many of them before the first that needs it …
    int loads_ahead = 0;
    /// … and, where they are not fused, a product is computed so many before the one whose sum it goes into.
    int adds_behind = 0;
    bool is_fused = false; ///< a multiplication and an addition are one operation
    bool operator==(const LoopNest&) const = default;

    int tile_columns() const { return lanes * tile_vectors; }
};

std::string_view name_of(LoopOrder order);

/// The program, with buffers `a`, `b`, `c` and, if there are copies, scratch `a_copy` and `b_copy`.
ir::Program loop_nest(const LoopNest& nest);

/// The nest's parameters in a line, such as "ijk, blocks 48x48x48 copied, tile 3x3, unroll 4".
std::string to_string(const LoopNest& nest);

} // namespace swirl::gemm
