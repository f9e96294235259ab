#pragma once

#include "loops/gpu/kernel_loops.hpp"

namespace swirl::loops {

/// Tags the loops around each region's calls as blocks of the launch, of the innermost one several iterations a block,
/// and those of its calls as threads of a block; says how threads share each call (KernelRegion::shares). Neighbouring
/// threads run the innermost loops. The arrays are laid out.
void place_gpu_tags(KernelLoops& kernel);

} // namespace swirl::loops
