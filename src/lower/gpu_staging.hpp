#pragma once

#include "lower/gpu_parts.hpp"

namespace swirl::lower {

/// Copies each of the caller's vectors that the part reads (`in`) to shared memory first, and what it writes (`out`) from
/// there at last, reals by pairs where they lie so: the steps between need not touch anything else. Left as it is is a side of which one iteration of the
/// loops around does not touch whole vectors, or read most of them, with one step between entries.
void stage(LoopProgram& loops, GpuPart& part, bool in, bool out);

/// A copy between the caller's memory and shared memory whose entries lie in order on both sides, for all of a block's
/// transforms where these follow each other on both sides: one loop over all entries. Nothing where it is no such copy.
std::optional<Call> over_all_transforms(const LoopProgram& loops, const GpuPart& part, const Call& call,
                                        Integer transforms);

} // namespace swirl::lower
