#pragma once

#include "plan/gemm/cpu/plan.hpp"

#include <span>

namespace swirl::planning {

/// A pointer-array batch of one plan.
struct MatrixGroup {
    const MatrixPlan* plan;
    const void* const* arrays; ///< of the plan's epilogue
    const void* alpha;
    const void* const* a;
    const void* const* b;
    const void* beta;
    void* const* c;
    Integer count;
};

/// Executes all groups with at most `threads` threads. Throws UserError, naming the product, before anything is
/// written. Overlaps with the C of another product are not detected.
void execute_groups(std::span<const MatrixGroup> groups, int threads);

} // namespace swirl::planning
