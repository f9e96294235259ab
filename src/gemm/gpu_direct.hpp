#pragma once

#include "gemm/gpu_fetch.hpp"
#include "gemm/gpu_sums.hpp"

#include <array>
#include <string>
#include <vector>

namespace swirl::gemm {

/// What a thread multiplies, straight from memory to its registers: all steps of its slice at once, so that one latency is waited for. Where
/// products are so small that threads with the same rows share little, that is less than the way through shared memory and a meeting of
/// threads.
class GpuDirectFactors {
public:
    /// `sources` begin at the tile's first step.
    GpuDirectFactors(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
                     const std::array<GpuPiece, 2>& pieces, const std::array<GpuSource, 2>& sources,
                     ir::Scalar sums);

    /// Of the thread's step of that number in its slice.
    GpuSums::Factors of(int step) const;

private:
    std::vector<ir::Value> load(std::size_t operand, int step) const;

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const GpuThreads& threads_;
    const std::array<GpuPiece, 2>& pieces_;
    const std::array<GpuSource, 2>& sources_;
    ir::Scalar sums_;
    /// Of A and of B, by groups of steps that are loaded together.
    std::array<std::vector<std::vector<ir::Value>>, 2> groups_;
};

/// Why such a schedule does not suit; empty where it does, or is no such schedule.
std::string objection_to_direct(const GpuSchedule& schedule, const MatrixProduct& oriented);

} // namespace swirl::gemm
