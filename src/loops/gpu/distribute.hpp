#pragma once

#include "loops/gpu/launch_configuration.hpp"
#include "loops/gpu/regions.hpp"

namespace swirl::loops {

/// A loop over a fresh variable of the program.
Loop new_loop(LoopProgram& loops, Integer count);

/// Substitutes a form for a variable in all locations and factors of a call.
void substitute(Call& call, Variable variable, const Affine& form);

/// For a region of independent calls over whole vectors in global memory (KernelRegion::over_all): chunks of the
/// longest loops become blocks; the first block does the remainders and the other calls.
void distribute_independent_calls(LoopProgram& loops, KernelRegion& region,
                                  const LaunchConfiguration& configuration);

/// The same for any other region whose calls access only global memory and read nothing that another call writes.
void distribute_global_calls(LoopProgram& loops, KernelRegion& region,
                             const LaunchConfiguration& configuration);

} // namespace swirl::loops
