#pragma once

#include "plan/gpu_plan.hpp"
#include "search/planner.hpp"
#include "search/timer/gpu_transform_timer.hpp"
#include "search/wisdom/gpu_transform_wisdom.hpp"

#include <functional>
#include <memory>
#include <string>

/// Chooses a schedule for a GPU: from tables, wisdom or timing.
namespace swirl::search {

struct GpuPlannerOptions {
    Effort effort = Effort::estimate;
    double time_budget_seconds = 5; ///< for an exhaustive search, 0 or infinite means no budget
    bool use_wisdom = true;
    bool check = true;                                     ///< see planning::GpuPlanOptions
    bool use_cache = true;                                 ///< as above
    std::function<void(const std::string&)> progress = {}; ///< called with a progress line now and then
};

/// A trusted schedule from wisdom, else the result of the requested effort; timed winners are stored in wisdom. As for
/// CPUs (make_plan), only results that this version of swirl timed on such a GPU are trusted.
planning::TransformSchedule choose_gpu_schedule(const Transform& problem, const GpuIdentity& identity,
                                                GpuTransformTimer& timer,
                                                const GpuPlannerOptions& options = {});

/// The same without timing.
planning::TransformSchedule choose_gpu_schedule(const Transform& problem, const GpuIdentity& identity,
                                                bool use_wisdom);

/// A schedule without a device: the fastest that wisdom holds for GPUs of this kind, else the estimate. It avoids
/// features that `gpu` lacks: clusters or cooperative groups.
planning::TransformSchedule choose_gpu_schedule(const Transform& problem, const target::Gpu& gpu,
                                                bool use_wisdom);

/// The same on a device, as a plan.
std::shared_ptr<const planning::GpuPlan> make_gpu_plan(const Transform& problem,
                                                       const runtime::GpuDevice& device,
                                                       const GpuPlannerOptions& options = {});

} // namespace swirl::search
