#include "base/error.hpp"
#include "plan/memory_need.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "problem/syntax.hpp"
#include "runtime/kernel_cache.hpp"
#include "search/candidates/gpu/transforms.hpp"
#include "search/cost/gpu/cached_estimate.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/options.hpp"
#include "search/tasks/task.hpp"
#include "search/timer/gpu/timer.hpp"

#include <algorithm>
#include <optional>

namespace swirl::search {

using planning::Schedule;

namespace {

/// Time limit in seconds for checking another version's schedule against the estimate.
constexpr double transform_recheck_seconds = 1.5;
/// Time budget for measuring, in seconds: the driver compiles about two hundred kernels in this time.
constexpr double usual_transform_budget = 5;

/// Whether a GPU has the clusters and cooperative groups that a schedule needs.
bool is_for(const target::Gpu& gpu, const Schedule& schedule) {
    for (const planning::PassSchedule& pass : schedule.transform().passes)
        for (const loops::LaunchConfiguration& configuration : pass.configurations)
            if (configuration.cluster > std::max(1, gpu.largest_cluster) ||
                (configuration.group_blocks > 0 && !gpu.has_cooperative_groups))
                return false;
    return true;
}

/// What wisdom says about a transform: schedules for this kind of GPU that have the passes of the problem.
StoredSchedules::Parse parse_for(const Transform& problem, std::string gpu) {
    return [problem, gpu = std::move(gpu)](const std::string& text) {
        Schedule schedule = planning::parse_schedule(text, problem);
        planning::require_target(schedule, gpu);
        planning::gpu_passes(problem, schedule);
        return schedule;
    };
}

class GpuTransform : public Task {
public:
    GpuTransform(const Transform& problem, const GpuTarget& gpu, const TaskSetting& setting)
        : Task(setting), problem_(problem), whole_(problem), gpu_(gpu) {
        if (gpu_.device != nullptr)
            planning::require_gpu_memory(problem, gpu_.identity.gpu,
                                         static_cast<Integer>(gpu_.device->properties().memory_bytes));
    }

    AnyPlan build(const ScheduleCandidate& chosen) override {
        if (gpu_.device == nullptr)
            throw InternalError("no plan for {} without a device", gpu_.identity.gpu.name);
        return planning::GpuPlan::build(problem_, chosen.schedule, *gpu_.device,
                                        {.check = options().check,
                                         .use_cache = options().use_kernel_cache,
                                         .memory_limit = options().memory_limit_bytes,
                                         .planning_limit = options().planning_limit_seconds,
                                         .interrupt = interrupt_of(options())});
    }

private:
    ScheduleCandidate chosen() override {
        if (gpu_.identity.key.empty()) return {of_any_such_gpu()};
        std::optional<GpuTimer> of_device; // frees its data before the plan allocates memory
        return choose_schedule(
            {.problem = whole_,
             .stored = stored_schedules(problem_, gpu_, options()),
             .effort = options().effort,
             .seconds = budget_of(options(), {usual_gpu_shortlist_budget, usual_transform_budget}),
             .recheck_seconds = transform_recheck_seconds,
             .estimate = [this] { return estimate(); },
             .shortlist = shortlist(),
             .space =
                 [this](std::vector<Schedule> others) {
                     return gpu_transform_space(problem_,
                                                {.gpu = gpu_.identity.gpu,
                                                 .exhaustive = options().effort == Effort::exhaustive,
                                                 .others = std::move(others)});
                 },
             .timer = [&]() -> Timer& {
                 if (given_timer() != nullptr) return *given_timer();
                 if (!of_device) of_device.emplace(*gpu_.device, options().use_kernel_cache);
                 return *of_device;
             }});
    }

    /// Empty without wisdom to keep the result.
    std::function<std::vector<Schedule>()> shortlist() const {
        if (!options().use_wisdom) return {};
        return [this] {
            std::vector<Schedule> result;
            for (RatedGpuSchedule& rated : gpu_schedules(problem_, gpu_.identity.gpu, shortlist_length))
                result.push_back(std::move(rated.schedule));
            return result;
        };
    }

    /// The fastest that wisdom holds for GPUs of this kind, without clusters or cooperative groups that it lacks; else the
    /// model's.
    Schedule of_any_such_gpu() const {
        const target::Gpu& gpu = gpu_.identity.gpu;
        const auto fastest = stored_schedules(problem_, gpu_, options()).fastest_anywhere();
        if (fastest && is_for(gpu, fastest->schedule)) return fastest->schedule;
        return gpu_schedule(problem_, gpu);
    }

    Schedule estimate() const {
        const bool is_cached = gpu_.device != nullptr && options().use_kernel_cache;
        return cached_gpu_schedule(problem_, gpu_.identity.gpu,
                                   is_cached ? runtime::KernelCache::of_user() : nullptr);
    }

    const Transform& problem_;
    const Problem whole_;
    const GpuTarget& gpu_;
};

} // namespace

StoredSchedules stored_schedules(const Transform& problem, const GpuTarget& gpu, const Options& options) {
    return {[problem, device = gpu.identity.key] {
                return WisdomKey{device, to_text(problem)};
            },
            parse_for(problem, std::string(gpu.identity.gpu.name)), options.use_wisdom};
}

std::unique_ptr<Task> task_of(const Transform& problem, const GpuTarget& gpu, const TaskSetting& setting) {
    return std::make_unique<GpuTransform>(problem, gpu, setting);
}

} // namespace swirl::search
