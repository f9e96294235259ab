#pragma once

#include "formula/formula.hpp"
#include "rules/rule.hpp"

#include <vector>

namespace swirl::search {

/// Breakdowns of a transform of any kind that does not fit in one block, most promising first. They sweep over the
/// vector, with extra passes before and after where the kind requires them: two or three `sweeps` if its prime factors
/// are small, over the `entries` that a block holds. Empty if no such breakdown exists yet.
std::vector<rules::BreakdownTree> gpu_large_trees(const formula::Formula& transform, int sweeps,
                                                  Integer entries);

} // namespace swirl::search
