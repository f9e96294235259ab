#pragma once

#include "sass/loop_webs.hpp"

namespace swirl::sass {

/// An ordered pair of instructions of a loop, neither of which is an FMA.
struct Dependence {
    std::size_t before = 0; ///< indices in the body, `before` < `after`
    std::size_t after = 0;
    bool has_latency = false; ///< the later one reads or overwrites the earlier one's result
};

/// Dependences among the instructions between FMAs, and between them and operand loads and the branch: through
/// registers, predicates, memory accesses and waits. Registers that LoopWebs renames cause none.
std::vector<Dependence> dependences(const LoopPattern& pattern, const LoopWebs& webs);

} // namespace swirl::sass
