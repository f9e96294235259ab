#pragma once

#include "plan/schedule.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "problem/problem.hpp"
#include "search/cost/gpu/model.hpp"
#include "target/gpu.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// Candidates for one pass on a GPU.
namespace swirl::search {

struct GpuPassCandidate {
    planning::PassSchedule pass;
    double seconds; ///< predicted by the model
};

/// Launch configurations of a breakdown tree among the candidates.
constexpr std::size_t configurations_per_tree = 3;

/// The candidates for a pass that the model rates best, best first: breakdown trees and, for each of their kernels,
/// threads, transforms per block and the storage between passes. Empty if no kernel can compute the pass.
std::vector<GpuPassCandidate> gpu_candidates(const Transform& problem, const planning::DimensionPass& pass,
                                             const target::Gpu& gpu, std::size_t most,
                                             std::size_t per_tree = configurations_per_tree);

/// The model's costs of the kernels of each pass of a schedule; nothing for kernels that the model does not rate.
std::vector<std::optional<std::vector<GpuKernelCost>>> gpu_kernel_costs(const Transform& problem,
                                                                        const planning::Schedule& schedule,
                                                                        const target::Gpu& gpu);

/// The model's seconds for each pass of a schedule; nothing for kernels that the model does not rate.
std::vector<std::optional<double>> gpu_pass_seconds(const Transform& problem,
                                                    const planning::Schedule& schedule,
                                                    const target::Gpu& gpu);

} // namespace swirl::search
