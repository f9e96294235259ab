#pragma once

#include "lower/gpu_parts.hpp"

namespace swirl::lower {

/// Of a variable that the program does not have yet.
Loop new_loop(LoopProgram& loops, Integer count);

/// A form in place of a variable, in all locations and factors of a step.
void substitute(Call& call, Variable variable, const Affine& form);

/// Steps that touch global memory alone and are independent of each other: chunks of the longest loops become
/// blocks, what is left of them and the other steps are done by the first. Any other part stays as it is.
void spread_over_blocks(LoopProgram& loops, GpuPart& part);

} // namespace swirl::lower
