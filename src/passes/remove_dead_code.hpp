#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Removes operations that no write depends on, and the straight-line blocks, loops and conditions that become empty.
/// After: every operation of the table is in a straight-line block, in program order.
ir::Program remove_dead_code(ir::Program program);
/// The same, but leaves the table as it is: for programs that are only compiled.
void erase_dead_code(ir::Program& program);

} // namespace swirl::passes
