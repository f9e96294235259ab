#pragma once

#include "lower/gpu_cluster.hpp"
#include "lower/gpu_parts.hpp"

/// What parts in the blocks of a cluster have in common, of complex numbers and of reals.
namespace swirl::lower {

/// One past the largest scalar of an array that a part touches; of complex numbers whose parts lie apart, of either.
Integer entries_of(const GpuPart& part, int array, const Extents& extents);

/// Several iterations of the innermost loop around all parts at once: `transforms` becomes a loop in every step.
/// UserError where they do not divide that loop's.
void take_several(GpuParts& parts, const Loop& transforms);

/// Parts on their way into a cluster's blocks: its loops, and the array that has all that lies between steps, of which each block
/// has a piece with room for several transforms.
class ClusterBuilderBase {
protected:
    ClusterBuilderBase(GpuParts parts, Integer blocks, Integer pitch, Integer transforms);

    /// A cluster without steps yet; its innermost loop is over the blocks.
    GpuCluster begin() const;
    void take_transforms() {
        if (transforms_.count > 1) take_several(parts_, transforms_);
    }

    /// One that is like another.
    void add_array(int like);
    int added_array() const { return static_cast<int>(parts_.loops.arrays.size()) - 1; }
    const Array& array(int number) const { return parts_.loops.arrays[static_cast<std::size_t>(number)]; }

    /// That each block has room for.
    Integer block_entries() const { return transforms_.count * transform_entries_; }
    Affine of_transform() const { return Affine::of(transforms_.variable, transform_entries_); }
    /// In the block's own piece, where the vectors of a part's iterations are so far apart.
    Affine of_own_vector(const Loop& vectors, Integer pitch) const {
        return Affine::of(rank_, block_entries()) + Affine::of(vectors.variable, pitch) + of_transform();
    }

    GpuParts parts_;
    Integer blocks_;
    Integer pitch_;
    Loop transforms_; ///< of a cluster at once
    Variable rank_;
    Integer transform_entries_ = 0; ///< that each block has room for, of one transform
};

} // namespace swirl::lower
