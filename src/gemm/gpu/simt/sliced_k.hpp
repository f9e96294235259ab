#pragma once

#include "gemm/gpu/scheduler/column_partition.hpp"

#include <optional>

namespace swirl::gemm {

/// Reduces the accumulators of a block's K slices through shared memory: that of the k-tiles, no longer needed, if
/// their elements have the accumulators' type.
class SlicedKReduction {
public:
    /// Scalars of shared memory per block; 0 for one slice.
    static Integer scalars(const CanonicalSimtGemm& gemm);
    /// The operand whose k-tiles provide the memory, if any.
    static std::optional<std::size_t> operand_of_scratch(const CanonicalSimtGemm& gemm);
    /// Bytes needed in addition to the k-tiles.
    static Integer extra_bytes(const CanonicalSimtGemm& gemm);

    /// `scratch`: the k-tile memory, if it is reused.
    SlicedKReduction(ir::Builder& builder, const CanonicalSimtGemm& gemm, const SimtThreadLayout& threads,
                     std::optional<ir::Buffer> scratch);

    /// Input: each thread of every slice holds `rows` values for each of the block's columns, in registers. Output:
    /// each slice with a share holds the sums of its own columns there. Executed by all threads.
    void add(ir::Buffer registers, int rows, const ColumnPartition& own) const;

private:
    ir::Builder& builder_;
    const SimtGemm& schedule_;
    const SimtThreadLayout& threads_;
    DataType scalar_;
    ir::Buffer memory_ = 0;
};

} // namespace swirl::gemm
