#pragma once

#include "problem/problem.hpp"

namespace swirl::planning {

/// Bytes of workspace that any plan for a CPU has at least: one copy of the longest transform, where that is no small one.
/// For a valid problem; it saturates.
Integer least_workspace(const Problem& problem);

/// UserError where that is more than this process may have, before anything is derived: tables alone would take it all.
void require_memory(const Problem& problem);

} // namespace swirl::planning
