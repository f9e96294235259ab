#pragma once

#include "loops/gpu/cluster.hpp"
#include "loops/gpu/regions.hpp"

/// Common to complex and real regions in the blocks of a cluster.
namespace swirl::loops {

/// One past the largest scalar of an array that a region touches; for complex arrays with separate components, per
/// component.
Integer entries_of(const KernelRegion& region, int array, const Extents& extents);

/// Processes several iterations of the innermost loop around all regions at once: `transforms` becomes a loop in every
/// call.
/// UserError if its count does not divide that loop's.
void batch_transforms(KernelRegions& regions, const Loop& transforms);

/// State while regions are distributed over a cluster's blocks: the loops, and the array that holds all data between
/// calls. Each block owns a segment of that array, with capacity for several transforms.
class ClusterBuilderBase {
protected:
    ClusterBuilderBase(KernelRegions regions, Integer blocks, Integer pitch, Integer transforms);

    /// A cluster without calls; its innermost loop is over the blocks.
    KernelRegions begin() const;
    void take_transforms() {
        if (transforms_.count > 1) batch_transforms(regions_, transforms_);
    }

    /// Adds an array of the same kind as another.
    void add_array(int like);
    int added_array() const { return static_cast<int>(regions_.loops.arrays.size()) - 1; }
    const Array& array(int index) const { return regions_.loops.arrays[static_cast<std::size_t>(index)]; }

    /// Capacity of one block's segment.
    Integer block_entries() const { return transforms_.count * transform_entries_; }
    Affine of_transform() const { return Affine::of(transforms_.variable, transform_entries_); }
    /// In the block's own segment, for vectors of a region's iterations that are `pitch` entries apart.
    Affine of_own_vector(const Loop& vectors, Integer pitch) const {
        return Affine::of(rank_, block_entries()) + Affine::of(vectors.variable, pitch) + of_transform();
    }

    KernelRegions regions_;
    Integer blocks_;
    Integer pitch_;
    Loop transforms_; ///< processed by a cluster at once
    Variable rank_;
    Integer transform_entries_ = 0; ///< capacity of each block for one transform
};

} // namespace swirl::loops
