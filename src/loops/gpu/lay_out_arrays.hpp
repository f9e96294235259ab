#pragma once

#include "loops/gpu/kernel_loops.hpp"

namespace swirl::loops {

/// Lays out the arrays that the kernel's calls use: shared arrays get one copy per transform of a block, others one per
/// iteration of the loops around their users (Array::users_in). In a cooperative kernel each group has its own copy of
/// these, two if it is pipelined, which the loops around all regions reuse.
void lay_out_arrays(KernelLoops& kernel);

} // namespace swirl::loops
