#pragma once

#include "loops/loop_program.hpp"
#include "loops/request.hpp"

namespace swirl::loops {

/// Splits long loops in two where their twiddle tables would be large: twiddles are then products of entries of small
/// tables, one for each of the two loops (twiddle_terms). The remainder of a loop becomes a call of its own.
void split_long_loops(LoopProgram& program, const Request& request);

} // namespace swirl::loops
