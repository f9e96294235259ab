#pragma once

#include "lower/lower.hpp"

namespace swirl::lower {

/// The request's loops for a CPU's ir, after all passes, so that callbacks can be part of all accesses to the caller's
/// memory: none is through an index table, and elements of half spectra are complete. Where that is not so, formulas
/// have copies of the caller's memory at their ends.
LoopProgram loops_for_cpu(const KernelRequest& request);
/// The same for kernels that run a loop program as it is.
LoopProgram portable_loops(const KernelRequest& request);

} // namespace swirl::lower
