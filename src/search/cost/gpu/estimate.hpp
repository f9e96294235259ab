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

struct RatedGpuSchedule {
    planning::Schedule schedule;
    double seconds; ///< predicted by the model
};

/// The `most` schedules that the model predicts fastest, best first, at least one: of each decomposition the best candidates
/// for all passes, and those with another candidate for one pass. Throws as gpu_schedule does.
std::vector<RatedGpuSchedule> gpu_schedules(const Transform& problem, const target::Gpu& gpu,
                                            std::size_t most);

/// The first of them with its predicted time, and what was not chosen, and why.
Choice estimate(const Transform& problem, const target::Gpu& gpu);

/// The decompositions of the problem into passes: one pass per dimension, and the two or three innermost dimensions
/// fused.
std::vector<std::vector<planning::DimensionPass>> gpu_decompositions(const Transform& problem);

} // namespace swirl::search
