#pragma once

#include "gemm/gpu/simt/layout.hpp"

namespace swirl::gemm {

/// Assigns a thread's columns to the blocks that share a tile and to the K slices of a block: whole vectors of
/// columns first, then, where these are too few, their elements.
class ColumnPartition {
public:
    /// For `blocks` blocks, whose index is the lowest digit of the block index, and at most `max_k_slices` slices.
    ColumnPartition(ir::Builder& builder, const SimtGemm& schedule, const SimtThreadLayout& threads,
                    int blocks, int max_k_slices);
    /// Slices that finish elements of C. One, if there are reductions, which read the first slice's elements, or a
    /// reordered SASS main loop, which needs the register allocation of a thread that finishes all.
    static int epilogue_k_slices(const SimtGemm& schedule, const MatrixProduct& canonical) {
        return canonical.reductions.empty() && !schedule.reorders_sass() ? schedule.sliced_k : 1;
    }

    int columns() const { return vectors_ * elements_; } ///< of a thread, per slice
    int slices() const { return slices_; }               ///< slices that have columns: the first ones
    int columns_of_block() const { return columns() * slices_; }
    /// Index of the j-th column among the thread's columns of this block, among all columns of the thread, and in the
    /// tile.
    Affine in_block(int j) const;
    Affine of_thread(int j) const;
    Affine in_tile(int j) const;

private:
    const SimtThreadLayout& threads_;
    int vector_;              ///< elements of a full one
    Integer vector_distance_; ///< tile columns between a thread's vectors
    int vectors_, elements_;  ///< of a slice
    int elements_of_block_;
    int slices_;
    Affine block_vector_, block_element_, k_slice_vector_,
        k_slice_element_; ///< the first ones; the slice's relative to the block's
};

} // namespace swirl::gemm
