#pragma once

#include "lower/gpu_parts.hpp"

#include <set>

/// Steps over whole vectors that no block's shared memory holds.
namespace swirl::lower {

/// Whether what steps touch shows that they may run in any order, or at once: where one writes an array that another
/// touches, they do so in ranges of their own. `around` are loops around both. A step alone is: its iterations are.
bool are_independent(const LoopProgram& loops, const std::vector<Call>& calls,
                     const std::vector<Loop>& around);

/// Parts in no other loops than the `common` outermost, whose steps hand on more than `reals` numbers, come apart into runs
/// of steps that are independent of each other, or have no more numbers than that. Returns the arrays that a run reads and an earlier
/// one writes.
std::set<int> take_apart(const LoopProgram& loops, std::vector<GpuPart>& parts, std::size_t common,
                         Integer reals);

} // namespace swirl::lower
