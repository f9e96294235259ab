#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Removes operations whose result nothing written depends on, and the runs, loops and conditions that become empty.
/// After: every operation of the table is in a run, in program order.
ir::Program remove_dead_code(ir::Program program);

} // namespace swirl::passes
