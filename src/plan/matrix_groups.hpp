#pragma once

#include "plan/matrix_plan.hpp"

#include <span>

namespace swirl::planning {

/// Executions of one plan on matrices of a list.
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

/// All of them, by at most so many threads. UserError, which names the product, before anything is written; what lies where another
/// product's C does is not found.
void execute_groups(std::span<const MatrixGroup> groups, int threads);

} // namespace swirl::planning
