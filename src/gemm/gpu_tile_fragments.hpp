#pragma once

#include "gemm/gpu_tile_layout.hpp"
#include "ir/builder.hpp"

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

/// Products by pieces of A from registers. While tensor cores multiply one group of steps, the next one's numbers are loaded.
class GpuTileFragments {
public:
    static constexpr int steps_of_group = 2; ///< tile_products one after the other
    static constexpr int sets = 2;           ///< of registers
    static int registers(int parts) { return sets * steps_of_group * parts * registers_of_product; }

    struct Memory {
        ir::Buffer fragments = 0; ///< local
        ir::Buffer pieces = 0;    ///< shared, of A
        ir::Buffer sums = 0;      ///< local, a part after the other
    };
    GpuTileFragments(ir::Builder& builder, const ir::TileInstruction& entry, const GpuTileFactor& a,
                     const Memory& memory, int warpgroup, int parts)
        : builder_(builder),
          entry_(entry),
          a_(a),
          memory_(memory),
          rows_(builder, warpgroup, parts),
          parts_(parts) {}

    /// Starts the products of the piece in a stage. `b(step)`: the other factor. `release_one_before()` is called when products of the
    /// piece before are done and all threads have loaded what they need of it.
    template <class Factor, class Release>
    void multiply_piece(ir::Value stage, Factor&& b, Release&& release_one_before) const {
        using ir::CopyFence;
        const std::vector<ir::Value> places = places_in(stage);
        const int groups = static_cast<int>(a_.depth) / entry_.depth / steps_of_group;
        for (int group = 0; group < groups; ++group) {
            load(group, places);
            builder_.fence({CopyFence::Kind::begin, 0, CopyFence::What::tile_products});
            for (int step = 0; step < steps_of_group; ++step)
                for (int part = 0; part < parts_; ++part)
                    builder_.tile_product(entry_, memory_.sums, Integer{part} * entry_.registers(),
                                          {{memory_.fragments, first_register(group, step, part)}, {}},
                                          b((group * steps_of_group + step) * entry_.depth));
            builder_.fence({CopyFence::Kind::commit, 0, CopyFence::What::tile_products});
            builder_.fence({CopyFence::Kind::wait, 1, CopyFence::What::tile_products});
            if (group > 0) continue;
            builder_.barrier();
            release_one_before();
        }
    }

private:
    /// Where each of a thread's pairs begins.
    std::vector<ir::Value> places_in(ir::Value stage) const;
    void load(int group, const std::vector<ir::Value>& places) const;
    static constexpr int registers_of_product = 4;
    static constexpr int halves = 2; ///< of a tile_product's steps, of which a thread has one each
    Integer first_register(int group, int step, int part) const {
        return Integer{(group % sets * steps_of_group + step) * parts_ + part} * registers_of_product;
    }

    ir::Builder& builder_;
    const ir::TileInstruction& entry_;
    const GpuTileFactor& a_;
    Memory memory_;
    GpuFragmentRows rows_;
    int parts_;
};

} // namespace swirl::gemm
