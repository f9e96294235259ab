#pragma once

#include "problem/problem.hpp"
#include "search/candidates/search_space.hpp"
#include "target/gpu.hpp"

#include <vector>

/// What a search tries for a transform on a GPU.
namespace swirl::search {

struct GpuTransformOptions {
    const target::Gpu& gpu;
    bool exhaustive = false;                     ///< all candidates, and neighbours until none is faster
    std::vector<planning::Schedule> others = {}; ///< from wisdom
};

/// Proposals are the model's candidates for each pass with the other passes fixed at their best; actions combine the
/// fastest passes, and change launch configurations and the order of radices. The problem must outlive the space.
SearchSpace gpu_transform_space(const Transform& problem, GpuTransformOptions options);

/// Schedules that differ from this one in one value of one launch configuration.
std::vector<planning::Schedule> configuration_neighbours(const planning::Schedule& schedule,
                                                         const target::Gpu& gpu);
/// Schedules that differ from this one in the order of two radices.
std::vector<planning::Schedule> radix_order_neighbours(const planning::Schedule& schedule);

} // namespace swirl::search
