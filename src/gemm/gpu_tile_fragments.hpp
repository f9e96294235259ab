#pragma once

#include "gemm/gpu_tile_layout.hpp"
#include "gemm/gpu_tile_pieces.hpp"
#include "gemm/gpu_tile_stages.hpp"
#include "ir/builder.hpp"

#include <vector>

/// The way of a factor that lies along A's rows, of numbers that tensor cores want along the depth: by registers.
namespace swirl::gemm {

/// Which of the rows that a warpgroup has are whose. A thread has neighbouring pairs of them, h being 0 and 1: so it moves eight bytes
/// at once, of which sixteen threads, be they of different steps or of different columns, have different banks of swizzled memory.
///
/// Rows come in panels of as many as a row of shared memory has. Of thread t of a warp, and of a part that a tile_product has of 64 rows
/// (warp by warp 16), the row is 32·panel + 4·piece + 2·(bit 2 of t) + h; the bits of piece, from the lowest on, are
/// (bit 3 of t) xor (bit 4 of t), one that the part has, and bit 3 of t.
class GpuFragmentRows {
public:
    /// `parts`: of the warpgroup, 1 or an even number.
    GpuFragmentRows(ir::Builder& builder, int warpgroup, int parts)
        : builder_(builder), warpgroup_(warpgroup), parts_(parts) {}

    /// In pairs of elements: where a pair is in a row of shared memory whose pieces are exchanged by `line`, modulo 8.
    ir::Value place_in_row(int part, const Affine& line) const;
    /// Of the block's rows, the first ones of a warpgroup being panel 0 where `of_block` is not wanted.
    Affine panel(int part, bool of_block) const;

private:
    ir::Builder& builder_;
    int warpgroup_, parts_;
};

/// Products by pieces of A from registers. Steps are loaded while tensor cores multiply others, two before them, those of the next piece
/// among them; a product that waits for its numbers would leave tensor cores without work.
class GpuTileFragments {
public:
    static constexpr int sets = 4;  ///< of registers: steps that are loaded or multiplied at once
    static constexpr int ahead = 2; ///< of these steps that are not multiplied yet
    static int registers(int parts) { return sets * parts * registers_of_product; }

    struct Memory {
        ir::Buffer fragments = 0; ///< local
        ir::Buffer sums = 0;      ///< local, a part after the other
    };
    GpuTileFragments(ir::Builder& builder, const ir::TileInstruction& entry, const GpuTilePieces& pieces,
                     const Memory& memory, int warpgroup, int parts)
        : builder_(builder),
          entry_(entry),
          pieces_(pieces),
          a_(pieces.layout(1)),
          memory_(memory),
          rows_(builder, warpgroup, parts),
          parts_(parts) {}

    /// The products of so many pieces; at last all are done.
    void multiply_run(const GpuTileStages& stages, const Affine& count) const;

private:
    static constexpr int registers_of_product = 4;
    static constexpr int halves = 2; ///< of a tile_product's steps, of which a thread has one each
    /// Where each of a thread's pairs begins in the piece of a stage.
    using Places = std::vector<ir::Value>;
    Places places_in(ir::Value stage) const;
    void load(const Places& places, int step) const;
    /// Starts the products of the piece at hand, of which the first steps have been loaded. `number`: nonnegative where there is
    /// one before.
    void multiply_piece(const GpuTileStages& stages, const Affine& number, bool is_last) const;
    void multiply_step(int step, ir::Value stage) const;
    Integer first_register(int step, int part) const {
        return Integer{step % sets * parts_ + part} * registers_of_product;
    }

    ir::Builder& builder_;
    const ir::TileInstruction& entry_;
    const GpuTilePieces& pieces_;
    const GpuTileFactor& a_;
    Memory memory_;
    GpuFragmentRows rows_;
    int parts_;
};

} // namespace swirl::gemm
