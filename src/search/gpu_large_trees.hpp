#pragma once

#include "formula/formula.hpp"
#include "rules/rule.hpp"

#include <vector>

namespace swirl::search {

/// Breakdowns of a transform of any kind whose vector no block holds, the likeliest first: sweeps over it, with passes before
/// and after them where the kind takes some; two or three `sweeps` where its primes are small, over `entries` that a block holds.
/// None where there are none (yet).
std::vector<rules::BreakdownTree> gpu_large_trees(const formula::Formula& transform, int sweeps,
                                                  Integer entries);

} // namespace swirl::search
