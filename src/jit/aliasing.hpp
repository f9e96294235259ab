#pragma once

#include "ir/program.hpp"
#include "jit/x86_operation.hpp"

namespace swirl::jit {

/// Sets Leaf::expires of every leaf of the block: the first store after its load that may alias it.
///
/// Two accesses to one buffer are disjoint only if they have the same induction variable, no dynamic index, and
/// disjoint bytes. Different buffers are disjoint, unless they are arguments and `arguments_may_overlap`.
void find_expiries(const ir::Program& program, bool arguments_may_overlap, Block& block);

} // namespace swirl::jit
