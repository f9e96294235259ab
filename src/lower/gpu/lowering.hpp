#pragma once

#include "loops/gpu/passes.hpp"
#include "lower/lower.hpp"

#include <vector>

namespace swirl::lower {

/// The GPU kernels in execution order, for the loops of loops_for_gpu (loops/gpu/passes.hpp), as tagged: loops around
/// everything become blocks, and a block's threads share the iterations of each call, several per thread if there are
/// more. Barriers separate the calls, which communicate through shared memory. Kernels communicate through scratch
/// buffers, with the same names in all of them.
std::vector<ir::Program> lower_to_gpu(const KernelRequest& request,
                                      const std::vector<LaunchConfiguration>& configurations);

} // namespace swirl::lower
