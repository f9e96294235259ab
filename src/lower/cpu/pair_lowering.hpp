#pragma once

#include "lower/context.hpp"

namespace swirl::lower {

/// Lowering of small kernels to vectors of complex elements: lanes 2j and 2j+1 are the real and imaginary components
/// of one loop iteration. Compared with separate vectors of real and imaginary components, half as many iterations
/// fill a vector, and interleaved memory needs no deinterleaving; a complex multiplication takes one more shuffle.
///
/// Data between passes stays in registers: temporaries are stored as rows and transposed if the next pass's lanes
/// require it; scalar replacement turns them into values.

/// Whether the kernel is small enough to be straight-line code (apart from loops around everything), has no loops that
/// fill vectors anyway, and accesses memory as vectors of complex elements.
bool suits_pairs(const KernelRequest& request, const LoopProgram& loops);
ir::Program lower_in_pairs(const KernelRequest& request, const LoopProgram& loops);

} // namespace swirl::lower
