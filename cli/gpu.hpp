#pragma once

#include "cli/planning.hpp"
#include "plan/gpu_plan.hpp"
#include "problem/problem.hpp"
#include "target/gpu.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Commands with --device gpu.
namespace swirl::cli {

/// UserError where options are given that are for CPUs.
void require_gpu_options(const PlanningOptions& options);

/// Which of the machine's GPUs --device names; nothing where it is another word.
std::optional<int> number_of_gpu(const PlanningOptions& options);
/// UserError there.
int require_number_of_gpu(const PlanningOptions& options);

/// The kind of GPU that --device names, at hand or not. UserError for other words, and where something is to be measured.
const target::Gpu& kind_of_gpu(const PlanningOptions& options);

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
