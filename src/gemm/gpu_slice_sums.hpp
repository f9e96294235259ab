#pragma once

#include "gemm/gpu_column_shares.hpp"

#include <optional>

namespace swirl::gemm {

/// Sums of what the slices of a block have, through shared memory: that of pieces, which are of no use any more, where their numbers
/// are those of the sums.
class GpuSliceSums {
public:
    /// Scalars of shared memory that a block needs; 0 of one slice.
    static Integer scalars(const GpuSchedule& schedule, const MatrixProduct& oriented);
    /// The operand whose pieces have the memory, if one has.
    static std::optional<std::size_t> operand_of_room(const GpuSchedule& schedule,
                                                      const MatrixProduct& oriented);
    /// Bytes that it needs beside pieces as they are.
    static Integer bytes_beside_pieces(const GpuSchedule& schedule, const MatrixProduct& oriented);

    /// `room`: the memory of pieces, if it is to be there.
    GpuSliceSums(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
                 const MatrixProduct& oriented, std::optional<ir::Buffer> room);

    /// Threads of all slices have numbers for the block's columns, so many of each, in registers. Then those of the slices that have
    /// shares have the sums of their own columns there. All threads call it.
    void add(ir::Buffer registers, int rows, const GpuColumnShares& own) const;

private:
    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const GpuThreads& threads_;
    ir::Scalar scalar_;
    ir::Buffer memory_ = 0;
};

} // namespace swirl::gemm
