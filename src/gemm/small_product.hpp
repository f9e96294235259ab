#pragma once

#include "gemm/tile_writer.hpp"
#include "ir/program.hpp"
#include "target/cpu.hpp"

namespace swirl::gemm {

/// A product of which everything is known: extents, strides, what α and β ask for. A and B are read where they lie; only rows
/// of A that are not next to each other, and complex ones, are packed first.
struct SmallProduct {
    MatrixProduct product; ///< of one matrix; C's row stride is 1
    Update update = Update::overwrite;
    bool alpha_is_one = true;
    Tile tile = {};
    int unroll = 8;            ///< steps along the depth in an iteration
    Integer block_depth = 1;   ///< C is updated after so many steps
    bool rows_outside = false; ///< for each tile of rows all columns, not the other way round
    bool prefetch_a = false;   ///< the next rows are fetched while these are multiplied
    bool prefetch_c = false;   ///< a tile of C is fetched while its sums are computed
    bool a_is_given_packed =
        false; ///< `a` is panels of as many rows as a tile (see pack.hpp), one behind the other
    Epilogue epilogue = {};
    bool operator==(const SmallProduct&) const = default;
};

/// Whether a product is better computed from where its operands lie: there is little to gain by packing what is used seldom,
/// or lies in cache anyway.
bool suits_small_product(const MatrixProduct& product);

/// Steps of the depth after which a small product's C is updated: half of a core's own outer cache holds so much of the
/// operand with fewer rows or columns.
Integer small_block_depth(const MatrixProduct& product, const target::Cpu& cpu);

/// Tile and loop order from the extents and what the target's table says.
SmallProduct model_small_product(const MatrixProduct& product, Update update, bool alpha_is_one,
                                 Integer block_depth, const target::Cpu& cpu);

/// The program, with buffers `a`, `b`, `c`, `alpha`, `beta`, if A is packed scratch `packed`, and those of the epilogue.
ir::Program small_product(const SmallProduct& small);

/// Bytes of `packed`; 0: there is none.
Integer packed_bytes(const SmallProduct& small);

} // namespace swirl::gemm
