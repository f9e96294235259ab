#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Computes equal expressions once: an earlier equal operation of the same straight-line block, or of a preceding
/// block in an enclosing body, replaces an operation (value numbering; Cocke and Schwartz 1970).
///
/// Operands of commutative operations are ordered first. Loads are equal if no store between them may write what they
/// read. Constants are shared within a straight-line block only: they cost nothing, whereas keeping one across a loop
/// costs a register.
ir::Program eliminate_common_subexpressions(ir::Program program);

} // namespace swirl::passes
