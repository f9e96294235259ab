#pragma once

#include "gemm/gpu_layout.hpp"

namespace swirl::gemm {

/// Which of a thread's columns are whose, where blocks that have a tile in common share them, and slices of a block those of the
/// block: vectors of columns first; where these are too few their elements, too.
class GpuColumnShares {
public:
    /// Of so many blocks, whose number is the lowest digit of the block's index, and of so many slices at most.
    GpuColumnShares(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads, int blocks,
                    int most_slices);
    /// Slices that may finish a product's elements: reductions are of what the first one has, and main loops in machine code use the
    /// registers that a thread has who finishes all.
    static int finishing_slices(const GpuSchedule& schedule, const MatrixProduct& oriented) {
        return oriented.reductions.empty() && schedule.machine_loop == 0 ? schedule.slices : 1;
    }

    int columns() const { return vectors_ * elements_; } ///< of a thread, that one slice of a block has
    int slices() const { return slices_; }               ///< the first ones, which have some
    int columns_of_block() const { return columns() * slices_; }
    /// The j-th column's number among those of the thread that the block has, among all of the thread's, and its place in the tile.
    Affine in_block(int j) const;
    Affine of_thread(int j) const;
    Affine in_tile(int j) const;

private:
    const GpuThreads& threads_;
    int vector_;              ///< elements of a whole one
    Integer vector_distance_; ///< columns of the tile from one of a thread's vectors to the next
    int vectors_, elements_;  ///< of a slice
    int elements_of_block_;
    int slices_;
    Affine block_vector_, block_element_, slice_vector_,
        slice_element_; ///< the first ones, the slice's in the block
};

} // namespace swirl::gemm
