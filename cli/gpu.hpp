#pragma once

#include "cli/bench_output.hpp"
#include "cli/costs.hpp"
#include "cli/planning.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/problem.hpp"
#include "target/gpu.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Commands with --device gpu.
namespace swirl::cli {

/// Throws UserError for options that apply only to CPUs.
void require_gpu_options(const PlanningOptions& options);

/// Index of the GPU that --device names; nothing for any other word.
std::optional<int> index_of_gpu(const PlanningOptions& options);
/// The same; throws UserError for any other word.
int require_index_of_gpu(const PlanningOptions& options);

/// The kind of GPU that --device names, present or not. Throws UserError for other words, and if timing is requested.
const target::Gpu& kind_of_gpu(const PlanningOptions& options);

/// The GPU of this host, or the kind of GPU, that --device names.
search::GpuTarget gpu_target_of(const PlanningOptions& options);

/// The plan for the GPU that --device names. Throws UserError for options that apply only to CPUs, and if --device
/// names a kind of GPU instead of one of this host.
std::shared_ptr<const planning::GpuPlan> make_gpu_plan(const Transform& problem,
                                                       const PlanningOptions& options);

/// A schedule and its passes, for inspection: for a GPU of this host or, with "--device sm_90", for that kind of GPU,
/// present or not.
struct GpuInspection {
    planning::Schedule schedule;
    std::vector<planning::GpuPassDescription> passes;
};
GpuInspection inspect_gpu_plan(const Transform& problem, const PlanningOptions& options);

/// `flops`: executed by the schedule's kernels.
PlanCosts costs_on_gpu(const Transform& problem, const planning::Schedule& schedule, double flops,
                       const target::Gpu& gpu);

void report_on_gpu(const Transform& problem, const PlanningOptions& options, bool json);

struct GpuBenchOptions {
    double seconds;
    BenchOutput output;
};
void bench_on_gpu(const std::vector<Transform>& problems, const PlanningOptions& options,
                  const GpuBenchOptions& bench);

} // namespace swirl::cli
