#pragma once

#include "loops/gpu/regions.hpp"

namespace swirl::loops {

/// A loop over a fresh variable of the program.
Loop new_loop(LoopProgram& loops, Integer count);

/// Substitutes a form for a variable in all locations and factors of a call.
void substitute(Call& call, Variable variable, const Affine& form);

/// For independent calls that access only global memory: chunks of the longest loops become blocks; the first block
/// does the remainders and the other calls. Leaves any other region unchanged.
void distribute_over_blocks(LoopProgram& loops, KernelRegion& region);

} // namespace swirl::loops
