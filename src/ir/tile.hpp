#pragma once

#include "ir/program.hpp"
#include "ir/tensor_core.hpp"

#include <string_view>

/// Tiles in shared memory, which TMA copies and tensor cores multiply asynchronously, and mbarriers, which signal
/// completion to threads (PTX ISA: cp.async.bulk.tensor, wgmma, mbarrier).
///
/// An mbarrier is an int64 in shared memory that counts phases from 0. A phase is complete once it has had as many
/// arrivals as the mbarrier was initialized with, and all bytes that these arrivals expect have come. Waiting for
/// parity p returns once the latest complete phase has parity p; parity 1 returns at once before any phase is
/// complete.
namespace swirl::ir {

/// Threads of a warpgroup, which executes a wgmma together.
constexpr Integer warpgroup_threads = 128;
/// Alignment of a TMA copy's box in shared memory.
constexpr Integer box_alignment_bytes = 128;
/// Bytes of a row of a swizzled tile.
constexpr Integer swizzle_row_bytes = 128;
/// The unit of swizzling; a swizzled row has eight such chunks. A tma_store writes whole chunks in memory: an extent
/// along x that ends within a chunk is extended to its end. Boxes must start at multiples of a chunk along x, also
/// outside the extents: anything else is an illegal instruction (both observed on sm_90).
constexpr Integer swizzle_chunk_bytes = 16;
/// Period of the swizzle pattern in bytes: buffers with tiles are aligned to it.
constexpr Integer swizzle_pattern_bytes = 1024;

/// Swizzled position of element `index` of a buffer whose boxes have rows of `row_bytes` swizzled bytes
/// (TensorInfo::swizzle): chunk p of such a row moves to p xor r, where r is the number of preceding swizzle_row_bytes
/// rows modulo the chunks per row.
constexpr Integer swizzled(Integer index, int element_bytes, Integer row_bytes = swizzle_row_bytes) {
    const Integer chunk = swizzle_chunk_bytes / element_bytes, chunks = row_bytes / swizzle_chunk_bytes;
    const Integer r = index * element_bytes / swizzle_row_bytes % chunks, p = index / chunk % chunks;
    return index - p * chunk + (p ^ r) * chunk;
}

/// Offset of element (i, k) of an operand from its start, before swizzling: i is a row of A or a column of B.
constexpr Integer offset_in_tile(const SmemTileLayout& layout, int element_bytes, Integer i, Integer k) {
    const Integer row = swizzle_row_bytes / element_bytes;
    return layout.k_major ? i * row + k : i / row * layout.panel + k * row + i % row;
}

/// A matrix multiplication of tiles that the threads of a warpgroup issue together. Entries live in target/ tables and
/// are never destroyed. Each thread t of `threads` holds columns / 2 accumulator registers; row_of_accumulator and
/// column_of_accumulator give the position of register r. If A is in registers, a thread holds four:
/// row_of_a_fragment, k_of_a_fragment (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk8").
struct WgmmaInstruction {
    std::string_view name; ///< unique
    int rows = 64;
    int columns = 0;
    int k = 0;
    DataType operand_type = DataType::bfloat16; ///< data type of A and B in memory
    int ignored_bits = 0;                       ///< lowest fraction bits of each operand, taken as 0
    bool has_layouts = false;                   ///< operands may also have rows that do not run along K
    bool a_in_registers = false; ///< A may be in the threads' registers, as elements of 4 bytes
    int threads = 128;
    bool accumulates = true;          ///< adds to the accumulators; otherwise overwrites them
    TensorCoreRounding rounding = {}; ///< rounding of the accumulation
    int least_exponent = -126;        ///< smallest exponent of a normal operand
    int capability = 90;              ///< compute capability, times 10, of the only one that has it
    std::string_view text;            ///< PTX mnemonic

    constexpr int registers() const { return rows * columns / threads; }
    constexpr int a_registers() const { return rows * k / threads; }
    Integer flops() const { return Integer{2} * rows * columns * k; }
};
constexpr int row_of_accumulator(int thread, int r) {
    return thread / 32 * 16 + thread % 32 / 4 + r / 2 % 2 * 8;
}
constexpr int column_of_accumulator(int thread, int r) { return r / 4 * 8 + thread % 4 * 2 + r % 2; }
constexpr int row_of_a_fragment(int thread, int r) { return thread / 32 * 16 + thread % 32 / 4 + r % 2 * 8; }
constexpr int k_of_a_fragment(int thread, int r) { return thread % 4 + r / 2 * 4; }

} // namespace swirl::ir
