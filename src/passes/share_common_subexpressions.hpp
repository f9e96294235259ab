#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Computes equal expressions once: an operation that equals an earlier one of its straight run, or of a run before
/// it in an enclosing body, is replaced by that one (value numbering; Cocke and Schwartz 1970).
///
/// The operands of commutative operations are ordered first. Loads count as equal while no store between them may
/// write what they read. Constants are shared within a straight run only: they cost nothing, a register across a loop
/// does.
ir::Program share_common_subexpressions(ir::Program program);

} // namespace swirl::passes
