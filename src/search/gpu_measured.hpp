#pragma once

#include "plan/steps.hpp"
#include "problem/problem.hpp"
#include "search/gpu_candidates.hpp"
#include "target/gpu.hpp"

#include <optional>

namespace swirl::search {

/// What was fastest on the card itself for a step of many transforms, where such a step was measured; the model's choice
/// serves for others and for few.
std::optional<GpuCandidate> measured_gpu_step(const Problem& problem, const planning::Stage& stage,
                                              const target::Gpu& gpu);

} // namespace swirl::search
