#pragma once

#include "lower/context.hpp"

namespace swirl::lower {

/// Lowering of small kernels to vectors of complex numbers: lanes 2j and 2j+1 are the real and the imaginary part of one
/// iteration of a loop. Against a vector of real and one of imaginary parts this fills vectors with half the iterations
/// and takes nothing apart that lies interleaved in memory; a product takes one shuffle more.
///
/// What lies between the passes stays in registers: temporaries are stored as rows, transposed where the next pass's
/// lanes ask for it, and scalar replacement makes values of them.

/// Whether the kernel is so small that all of it, but for loops around everything, can be straight-line code, without
/// loops that vectors fill anyway, and its accesses are those of vectors of complex numbers.
bool suits_pairs(const KernelRequest& request, const LoopProgram& loops);
ir::Program lower_in_pairs(const KernelRequest& request, const LoopProgram& loops);

} // namespace swirl::lower
