#pragma once

#include "plan/dimension_passes.hpp"
#include "plan/transform_schedule.hpp"
#include "problem/problem.hpp"
#include "target/gpu.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// Candidates for one pass on a GPU.
namespace swirl::search {

struct GpuPassCandidate {
    planning::PassSchedule pass;
    double seconds; ///< predicted by the model; for a measured pass, from its fraction of copy bandwidth
};

/// The candidates for a pass that the model rates best, best first: breakdown trees and, for each of their kernels,
/// threads, transforms per block and the storage between passes. Empty if no kernel can compute the pass.
std::vector<GpuPassCandidate> gpu_candidates(const Transform& problem, const planning::DimensionPass& pass,
                                             const target::Gpu& gpu, std::size_t most);

/// The model's seconds for each pass of a schedule, by measured figures where there are some; nothing for kernels that the
/// model does not rate.
std::vector<std::optional<double>> gpu_pass_seconds(const Transform& problem,
                                                    const planning::TransformSchedule& schedule,
                                                    const target::Gpu& gpu);

} // namespace swirl::search
