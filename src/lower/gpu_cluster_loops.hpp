#pragma once

#include "lower/gpu_parts.hpp"

/// What parts in the blocks of a cluster have in common, of complex numbers and of reals.
namespace swirl::lower {

/// One past the largest scalar of an array that a part touches; of complex numbers whose parts lie apart, of either.
Integer entries_of(const GpuPart& part, int array, const Extents& extents);

/// Several iterations of the innermost loop around all parts at once: `transforms` becomes a loop in every step.
/// UserError where they do not divide that loop's.
void take_several(GpuParts& parts, const Loop& transforms);

} // namespace swirl::lower
