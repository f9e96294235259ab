#pragma once

#include "ir/program.hpp"
#include "jit/machine.hpp"

namespace swirl::jit {

/// Sets Leaf::expires of every leaf of the block: the first store after its load that may write what it reads.
///
/// Argument buffers may overlap each other in any way (transforms in place). Within one buffer two accesses are apart
/// only if they have the same stream and no dynamic index, and their bytes differ. Scratch, tables and local buffers
/// overlap nothing else.
void find_expiries(const ir::Program& program, Block& block);

} // namespace swirl::jit
