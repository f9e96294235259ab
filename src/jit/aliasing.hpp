#pragma once

#include "ir/program.hpp"
#include "jit/machine.hpp"

namespace swirl::jit {

/// Sets Leaf::expires of every leaf of the block: the first store after its load that may write what it reads.
///
/// Within one buffer two accesses are apart only if they have the same stream and no dynamic index, and their bytes
/// differ. Different buffers are apart, unless they are arguments and `arguments_may_overlap`.
void find_expiries(const ir::Program& program, bool arguments_may_overlap, Block& block);

} // namespace swirl::jit
