#pragma once

#include "loops/loop_program.hpp"
#include "loops/request.hpp"

namespace swirl::loops {

/// Replaces the short vectors at the ends of loops with the tag vec(ν), a lead and a remainder, by whole vectors that repeat
/// iterations of their neighbours: the same code runs all vectors, and no second and third copy of it is derived for the
/// short ones. Repeated iterations store the same values again.
///
/// Only where the request allows it, and for calls that do not write what they read, without callbacks, whose vectors run in
/// a loop.
void overlap_vectors(LoopProgram& program, const Request& request);

} // namespace swirl::loops
