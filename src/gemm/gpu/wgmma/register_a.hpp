#pragma once

#include "gemm/gpu/pipeline_state.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "gemm/gpu/wgmma/pipeline.hpp"
#include "ir/builder.hpp"

#include <vector>

/// Operand A through registers, for element types that tensor cores require K-major while A is M-major.
namespace swirl::gemm {

/// Assigns a warpgroup's rows to threads. A thread has adjacent pairs of rows, h = 0 and 1, and so moves eight bytes
/// at once; sixteen threads, of different k indices or different columns, hit different banks of swizzled memory.
///
/// Rows come in panels the size of a shared-memory row. For thread t of a warp and a wgmma's 64 rows (16
/// per warp), the row is 32·panel + 4·chunk + 2·(bit 2 of t) + h; the bits of chunk, from the lowest up, are (bit 3
/// of t) xor (bit 4 of t), one that the index of the wgmma along M selects, and bit 3 of t.
class FragmentRows {
public:
    /// `wgmmas`: of the warpgroup along M, 1 or an even number.
    FragmentRows(ir::Builder& builder, int warpgroup, int wgmmas)
        : builder_(builder), warpgroup_(warpgroup), wgmmas_(wgmmas) {}

    /// In pairs of elements: offset in a row of shared memory whose chunks are swizzled by `mn` modulo 8.
    ir::Value offset_in_row(int wgmma, const Affine& mn) const;
    /// Panel among the block's rows; without `of_block`, a warpgroup's first rows are panel 0.
    Affine panel(int wgmma, bool of_block) const;

private:
    ir::Builder& builder_;
    int warpgroup_, wgmmas_;
};

/// Multiplies k-tiles with A in registers. Fragments are loaded two k steps ahead, across k-tiles, while tensor cores
/// multiply; a wgmma that waits for its operands would idle them.
class WgmmaRegisterA {
public:
    static constexpr int sets = 4;              ///< register sets: k steps loaded or multiplied at once
    static constexpr int prefetch_distance = 2; ///< of these, k steps loaded but not yet multiplied
    static int registers(int wgmmas) { return sets * wgmmas * registers_of_wgmma; }

    struct Memory {
        ir::Buffer fragments = 0;    ///< local
        ir::Buffer accumulators = 0; ///< local, wgmma after wgmma
    };
    WgmmaRegisterA(ir::Builder& builder, const ir::WgmmaInstruction& entry, const WgmmaPipeline& k_tiles,
                   const Memory& memory, int warpgroup, int wgmmas)
        : builder_(builder),
          entry_(entry),
          k_tiles_(k_tiles),
          a_(k_tiles.layout(1)),
          memory_(memory),
          rows_(builder, warpgroup, wgmmas),
          wgmmas_(wgmmas) {}

    /// Multiplies `count` k-tiles and waits for the last.
    void multiply_interval(const PipelineState& stages, const Affine& count) const;

private:
    static constexpr int registers_of_wgmma = 4;
    static constexpr int halves = 2; ///< of a wgmma's K; a thread has one k index of each
    /// Offsets of a thread's pairs in a stage's k-tile.
    using RowOffsets = std::vector<ir::Value>;
    RowOffsets row_offsets_in(ir::Value stage) const;
    void load(const RowOffsets& offsets, int k_step) const;
    /// Starts the wgmmas of the current k-tile, whose first k steps have been loaded. `k_tile`: nonnegative if a
    /// k-tile precedes.
    void multiply_k_tile(const PipelineState& stages, const Affine& k_tile, bool is_last) const;
    void multiply_step(int k_step, ir::Value stage) const;
    Integer first_register(int k_step, int wgmma) const {
        return Integer{k_step % sets * wgmmas_ + wgmma} * registers_of_wgmma;
    }

    ir::Builder& builder_;
    const ir::WgmmaInstruction& entry_;
    const WgmmaPipeline& k_tiles_;
    const WgmmaOperand& a_;
    Memory memory_;
    FragmentRows rows_;
    int wgmmas_;
};

} // namespace swirl::gemm
