#pragma once

#include "ir/program.hpp"
#include "ir/tensor_core.hpp"

#include <string_view>

/// Tiles in shared memory, which a GPU's copy engine brings and takes, and its tensor cores multiply, while threads do other things;
/// and signals, by which threads learn of it (PTX ISA: cp.async.bulk.tensor, wgmma, mbarrier).
///
/// A signal is an int64 in shared memory. It counts phases from 0 on: a phase is complete when as many arrivals as it was initialized
/// with have been made in it, and all bytes have come that arrivals expected in it. Waiting for parity p returns when the latest
/// complete phase has parity p; parity 1 is so before any phase is complete.
namespace swirl::ir {

/// Bytes of a row of a swizzled tile.
constexpr Integer tile_row_bytes = 128;
/// Bytes that swizzling keeps together, and of which rows have eight. A tile_store writes all or none of such bytes in memory: where
/// an extent along x ends within them it goes on to their end. Boxes begin at multiples of them along x, also outside of extents: elsewhere is an
/// illegal instruction (both observed on sm_90).
constexpr Integer tile_piece_bytes = 16;
/// Bytes after which the pattern repeats: buffers with tiles are aligned to it.
constexpr Integer tile_pattern_bytes = 1024;

/// Where the element `index` of a buffer is whose boxes have rows of so many swizzled bytes (TensorInfo::swizzle): among the pieces of
/// such a row p is at p xor r, r counting the tile_row_bytes before it modulo those pieces.
constexpr Integer swizzled(Integer index, int element_bytes, Integer row_bytes = tile_row_bytes) {
    const Integer piece = tile_piece_bytes / element_bytes, pieces = row_bytes / tile_piece_bytes;
    const Integer r = index * element_bytes / tile_row_bytes % pieces, p = index / piece % pieces;
    return index - p * piece + (p ^ r) * piece;
}

/// Element (i, k) of a factor, counted from where the factor begins, before it is swizzled: i is a row of A or a column of B.
constexpr Integer place_in_tile(const TileLayout& layout, int element_bytes, Integer i, Integer k) {
    const Integer row = tile_row_bytes / element_bytes;
    return layout.along_depth ? i * row + k : i / row * layout.panel + k * row + i % row;
}

/// A product of tiles that the threads of a warpgroup start together. Entries live in target/ tables and are never destroyed.
/// Thread t of `threads` has, of the sums, columns / 2 registers; register r is of the row and column that row_of_sum and
/// column_of_sum say. Of A, where that is in registers, it has four: row_of_factor, step_of_factor (PTX ISA, "Register Fragments for
/// wgmma.mma_async.m64nNk8").
struct TileInstruction {
    std::string_view name; ///< unique
    int rows = 64;
    int columns = 0;
    int depth = 0;
    Scalar factor = Scalar::bfloat16; ///< of A and B in memory
    int ignored_bits = 0;             ///< of each factor's fraction, the lowest, taken as 0
    bool has_layouts = false;         ///< factors may also lie with rows not along the depth
    bool takes_registers = false;     ///< A may be in the threads' registers, its numbers of 4 bytes
    int threads = 128;
    bool adds = true;          ///< to what sums are; else they become the products alone
    TensorCoreSums sums = {};  ///< how products are added up
    int least_exponent = -126; ///< of a factor that is normal
    int capability = 90;       ///< compute capability, times 10, of the only one that has it
    std::string_view text;     ///< PTX mnemonic

    constexpr int registers() const { return rows * columns / threads; }
    constexpr int factor_registers() const { return rows * depth / threads; }
    Integer flops() const { return Integer{2} * rows * columns * depth; }
};
constexpr int row_of_sum(int thread, int r) { return thread / 32 * 16 + thread % 32 / 4 + r / 2 % 2 * 8; }
constexpr int column_of_sum(int thread, int r) { return r / 4 * 8 + thread % 4 * 2 + r % 2; }
constexpr int row_of_factor(int thread, int r) { return thread / 32 * 16 + thread % 32 / 4 + r % 2 * 8; }
constexpr int step_of_factor(int thread, int r) { return thread % 4 + r / 2 * 4; }

} // namespace swirl::ir
