#pragma once

#include "loops/loop_program.hpp"
#include "loops/request.hpp"

namespace swirl::loops {

/// Splits long loops where their twiddle tables would be large, in two, and for chirps in three: twiddles are then
/// products of entries of small tables, of one of the two loops or two of the three (twiddle_terms). The remainder of a
/// loop becomes a call of its own.
void split_long_loops(LoopProgram& program, const Request& request);

} // namespace swirl::loops
