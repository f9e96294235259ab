#pragma once

#include "lower/loop_program.hpp"

namespace swirl::lower {

/// Splits long loops in two where their twiddle tables would be large: twiddles are then products of entries of small
/// tables, one for each of the two loops (twiddle_terms). The remainder of a loop becomes a call of its own.
void split_long_loops(LoopProgram& program);

} // namespace swirl::lower
