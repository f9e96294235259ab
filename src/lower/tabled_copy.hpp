#pragma once

#include "lower/context.hpp"

#include <vector>

namespace swirl::lower {

/// Those of the loops that a table of indices varies with, in the same order.
std::vector<Loop> table_loops(const IndexTable& table, const std::vector<Loop>& loops);
/// The table's values, for each iteration of `varying`, the last loop fastest.
std::vector<Integer> table_values(const IndexTable& table, const std::vector<Loop>& varying);

/// Emits a copy of which one side at least is reached through a table of indices.
void emit_tabled_copy(Context& context, const Call& call);

} // namespace swirl::lower
