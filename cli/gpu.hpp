#pragma once

#include "cli/planning.hpp"
#include "plan/gpu_plan.hpp"
#include "problem/problem.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// Commands with --device gpu.
namespace swirl::cli {

/// The plan for the GPU that --device names. Throws UserError for options that are for CPUs, and where --device names a
/// kind of GPU and not one of this machine.
std::shared_ptr<const planning::GpuPlan> make_gpu_plan(const Problem& problem,
                                                       const PlanningOptions& options);

/// A recipe and its steps, to look at: for a GPU of this machine, or, with "--device sm_90", for such a one, at hand or not.
struct GpuInspection {
    planning::Recipe recipe;
    std::vector<planning::GpuStepDescription> steps;
};
GpuInspection inspect_gpu_plan(const Problem& problem, const PlanningOptions& options);

void report_on_gpu(const Problem& problem, const PlanningOptions& options, bool json);

struct GpuBenchOptions {
    double seconds;
    bool json;
};
void bench_on_gpu(const std::vector<Problem>& problems, const PlanningOptions& options,
                  const GpuBenchOptions& bench);

} // namespace swirl::cli
