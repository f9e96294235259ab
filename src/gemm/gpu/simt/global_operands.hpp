#pragma once

#include "gemm/gpu/simt/accumulators.hpp"
#include "gemm/gpu/simt/cp_async_loader.hpp"

#include <array>
#include <string>
#include <vector>

namespace swirl::gemm {

/// Operands that a thread loads from global memory straight into registers, all of its slice's k indices at once, so
/// that only one latency is exposed. For problems so small that threads with the same rows share little, this is
/// faster than shared memory and a barrier.
class GlobalOperands {
public:
    /// `sources` begin at the tile's first k index.
    GlobalOperands(ir::Builder& builder, const CanonicalSimtGemm& gemm, const SimtThreadLayout& threads,
                   const std::array<OperandSource, 2>& sources);

    /// Operands for a k step within the thread's slice.
    SimtAccumulators::Operands of(int k) const;

private:
    std::vector<ir::Value> load(std::size_t operand, int k) const;

    ir::Builder& builder_;
    const SimtGemm& schedule_;
    const SimtThreadLayout& threads_;
    const std::array<SmemTile, 2>& k_tiles_;
    const std::array<OperandSource, 2>& sources_;
    DataType accumulator_type_;
    /// For A and B, by groups of k indices, one load each.
    std::array<std::vector<std::vector<ir::Value>>, 2> groups_;
};

/// Reason why such a schedule is infeasible; empty if it is feasible or does not load from global memory.
std::string global_load_infeasibility(const SimtGemm& schedule, const MatrixProduct& canonical);

} // namespace swirl::gemm
