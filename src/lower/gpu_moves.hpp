#pragma once

#include "lower/gpu_parts.hpp"

namespace swirl::lower {

/// Steps that only move entries become part of the ones which read or write these: what pads with zeros of the first step
/// that computes, what keeps some entries of the last one. Without an entry where its Location says so.
void fold_moves(LoopProgram& loops, std::vector<GpuPart>& parts);

} // namespace swirl::lower
