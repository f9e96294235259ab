#pragma once

#include "plan/transform/dimension_passes.hpp"
#include "problem/problem.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "target/gpu.hpp"

#include <optional>

namespace swirl::search {

/// The fastest measured candidate for a pass over many transforms, if such a pass was measured. Other passes, and small
/// batches, use the model's choice.
std::optional<GpuPassCandidate> measured_gpu_pass(const Transform& problem,
                                                  const planning::DimensionPass& pass,
                                                  const target::Gpu& gpu);

} // namespace swirl::search
