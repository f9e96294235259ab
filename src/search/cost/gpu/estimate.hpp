#pragma once

#include "plan/schedule.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "problem/problem.hpp"
#include "search/choice.hpp"
#include "search/planner.hpp"
#include "target/gpu.hpp"

#include <vector>

/// Chooses a schedule for a GPU without timing.
namespace swirl::search {

/// A schedule for the problem on this GPU. A transform of up to 16 points is one codelet per thread. A longer one takes
/// the fewest passes of about equal radices; each thread computes one radix at a time, in one kernel if a transform
/// fits in a block's shared memory, otherwise in two sweeps over global memory. Throws UserError for an invalid
/// problem, and "not yet on GPUs" where no kernel exists.
planning::Schedule gpu_schedule(const Transform& problem, const target::Gpu& gpu);

/// The same with its predicted time, and what was not chosen, and why.
Choice estimate(const Transform& problem, const target::Gpu& gpu);

/// The decompositions of the problem into passes: one pass per dimension, and the two or three innermost dimensions
/// fused.
std::vector<std::vector<planning::DimensionPass>> gpu_decompositions(const Transform& problem);

} // namespace swirl::search
