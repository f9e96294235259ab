#pragma once

#include "plan/recipe.hpp"
#include "plan/steps.hpp"
#include "problem/problem.hpp"
#include "target/gpu.hpp"

#include <vector>

/// Choosing a recipe for a GPU.
namespace swirl::search {

/// A recipe for the problem on such a GPU. Transforms of up to 16 points are one codelet a thread; longer ones the fewest
/// passes of about equal radices, of which a thread does one at a time, in one kernel where a transform fits in the shared
/// memory of a block, else in two that sweep over memory. UserError for an invalid problem, and "not yet on
/// GPUs" for one that there are no kernels for.
planning::Recipe gpu_recipe(const Problem& problem, const target::Gpu& gpu);

/// The ways to take a problem apart into steps: each dimension by itself, and with the two or three innermost together.
std::vector<std::vector<planning::Stage>> gpu_stagings(const Problem& problem);

} // namespace swirl::search
