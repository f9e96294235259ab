#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Moves negations into additions, subtractions and fused operations, and makes constants positive: a + (−b) → a − b,
/// (−c)·x in a sum → the opposite sum, and so on. a − b and b − a are computed once.
///
/// A negation that reaches a store moves backwards if the value has no other use (−(a − b) → b − a, −(a + b) → a' − b
/// if a itself may change its sign); otherwise a `negate` operation remains.
/// Exact except for the sign of zero, which strict operations keep: signs pass through their products, not through
/// their sums. Frigo (1999), section 5, on why both matter: half as many constants, and
/// expressions that differ only in sign become common.
/// False if it changes nothing.
bool propagate_signs_in(ir::Program& program);
inline ir::Program propagate_signs(ir::Program program) {
    propagate_signs_in(program);
    return program;
}

} // namespace swirl::passes
