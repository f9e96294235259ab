#pragma once

#include "lower/loop_program.hpp"

namespace swirl::lower {

/// Takes long loops apart into two where a table of the factors met in them would be large: twiddles are then products of
/// entries of small tables, one for either loop (factor_terms). What a loop's count leaves over becomes a call of its own.
void split_long_loops(LoopProgram& program);

} // namespace swirl::lower
