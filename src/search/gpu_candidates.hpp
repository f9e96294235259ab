#pragma once

#include "plan/recipe.hpp"
#include "plan/steps.hpp"
#include "problem/problem.hpp"
#include "target/gpu.hpp"

#include <cstddef>
#include <vector>

/// What a step may be on a GPU.
namespace swirl::search {

struct GpuCandidate {
    planning::StepRecipe step;
    double seconds; ///< by the model; of a step that was measured, from its share of a copy's rate
};

/// The ways to do a step that the model thinks best, the best first: trees and, for each of their kernels, threads,
/// transforms of a block, what lies between steps. Empty where there are no kernels for it.
std::vector<GpuCandidate> gpu_candidates(const Problem& problem, const planning::Stage& stage,
                                         const target::Gpu& gpu, std::size_t most);

} // namespace swirl::search
