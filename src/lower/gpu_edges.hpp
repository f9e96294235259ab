#pragma once

#include "lower/gpu_parts.hpp"

namespace swirl::lower {

/// A 2 × 2 matrix between one of the caller's entries and the first that one step writes and the next one reads, the rest of
/// which agree (see fuse_steps): the three become one step, which has the caller's entry besides. So Rader's edge needs no
/// meeting of its own.
void fuse_edges(LoopProgram& loops, std::vector<GpuPart>& parts);

} // namespace swirl::lower
