#pragma once

#include "lower/context.hpp"

namespace swirl::lower {

/// Emits a call of a program in pairs (LoopProgram::pairs) as vectors of complex elements: lanes 2j and 2j+1 are the
/// real and imaginary components of one loop iteration. Compared with separate vectors of real and imaginary
/// components, half as many iterations fill a vector, and interleaved memory needs no deinterleaving; a complex
/// multiplication takes one more shuffle.
///
/// Data between calls stays in registers: temporaries are stored as rows and transposed if the next call's lanes
/// require it; scalar replacement turns them into values. A call of reals is emitted entry by entry.
void emit_call_in_pairs(Context& context, const Call& call);

} // namespace swirl::lower
