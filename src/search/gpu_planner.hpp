#pragma once

#include "gemm/gpu/schedule.hpp"
#include "plan/gpu_plan.hpp"
#include "search/planner.hpp"
#include "search/timer/timer.hpp"
#include "search/wisdom/gpu_identity.hpp"
#include "search/wisdom/stored_schedules.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// Chooses schedules for GPUs: from tables, wisdom or timing.
namespace swirl::search {

struct GpuPlannerOptions {
    Effort effort = Effort::estimate;
    double time_budget_seconds = 5; ///< for an exhaustive search, 0 or infinite means no budget
    bool use_wisdom = true;
    bool check = true;                                     ///< see planning::GpuPlanOptions
    bool use_cache = true;                                 ///< as above
    std::function<void(const std::string&)> progress = {}; ///< called with a progress line now and then
    std::function<void()> interrupt = {};                  ///< called often while timing; throws to cancel
};

/// A trusted schedule from wisdom, else the result of the requested effort; timed winners are stored in wisdom. As for
/// CPUs (make_plan), only results that this version of swirl timed on such a GPU are trusted.
planning::TransformSchedule choose_gpu_schedule(const Transform& problem, const GpuIdentity& identity,
                                                Timer& timer, const GpuPlannerOptions& options = {});

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

/// What wisdom knows about a transform on such a GPU.
StoredSchedules stored_gpu_schedules(const Transform& problem, const GpuIdentity& identity,
                                     bool use_wisdom = true);

// ---- products

struct GpuScheduleOptions {
    Effort effort = Effort::estimate;
    double seconds = 5;                     ///< time budget for timing, approximate
    std::size_t most = 32;                  ///< maximum number of the model's schedules to time
    Accuracy accuracy = Accuracy::ordinary; ///< of the schedule, for float32 GEMM
    bool reorder_sass = false;              ///< main loops may be reordered in SASS
    bool use_wisdom = true;                 ///< look up wisdom, and store the result there
    bool use_cache = true;                  ///< use the cache of machine code
    std::function<void(const std::string&)> progress = {};
    std::function<void()> interrupt = {};
};

/// The schedule of a product, by the same precedence. Any schedule is valid for an empty product.
gemm::GpuGemmSchedule choose_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                                          const GpuScheduleOptions& options = {});

/// The model's schedules of a nonempty product that are not the chosen one, with the fastest of each kind of kernel; and why
/// other kinds have none.
std::vector<Rejection> other_gpu_schedules(const MatrixProduct& product, const gemm::GpuGemmSchedule& chosen,
                                           const target::Gpu& gpu, Accuracy accuracy);

/// What wisdom knows about a product on such a GPU. Different accuracies have different entries; so do searches that may
/// reorder SASS main loops.
StoredSchedules stored_gpu_schedules(const MatrixProduct& product, const runtime::GpuDevice& device,
                                     const GpuScheduleOptions& options = {});

} // namespace swirl::search
