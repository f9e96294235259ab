#include "plan/memory_need.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "problem/syntax.hpp"
#include "runtime/kernel_cache.hpp"
#include "search/candidates/gpu/transforms.hpp"
#include "search/cost/gpu/cached_estimate.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/options.hpp"
#include "search/tasks/gpu/gpu_task.hpp"

#include <algorithm>
#include <utility>

namespace swirl::search {

using planning::Schedule;

namespace {

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

class GpuTransform : public GpuTask {
public:
    GpuTransform(const Transform& problem, const GpuTarget& gpu, const TaskSetting& setting)
        : GpuTask(problem, gpu, setting), problem_(problem) {
        if (gpu.device != nullptr)
            planning::require_gpu_memory(problem, gpu.identity.gpu,
                                         static_cast<Integer>(gpu.device->properties().memory_bytes));
    }

    AnyPlan build(const ScheduleCandidate& chosen) override {
        return planning::GpuPlan::build(problem_, chosen.schedule, device(),
                                        plan_options<planning::GpuPlanOptions>());
    }

    std::vector<StoredSchedules> entries() const override {
        return {stored_schedules(problem_, gpu(), options())};
    }

private:
    ScheduleCandidate chosen() override {
        if (gpu().identity.key.empty()) return {of_any_such_gpu()};
        return choose_by(
            stored_schedules(problem_, gpu(), options()),
            {.estimate = [this] { return estimate(); },
             .shortlist = [this] { return shortlist(); },
             .space = [this](std::vector<Schedule> others) { return space(std::move(others)); }});
    }

    std::vector<Schedule> shortlist() const {
        std::vector<Schedule> result;
        for (RatedGpuSchedule& rated : gpu_schedules(problem_, gpu().identity.gpu, shortlist_length))
            result.push_back(std::move(rated.schedule));
        return result;
    }

    SearchSpace space(std::vector<Schedule> others) const {
        return gpu_transform_space(problem_, {.gpu = gpu().identity.gpu,
                                              .exhaustive = options().effort == Effort::exhaustive,
                                              .others = std::move(others)});
    }

    /// The fastest that wisdom holds for GPUs of this kind, without clusters or cooperative groups that it lacks; else the
    /// model's.
    Schedule of_any_such_gpu() const {
        const target::Gpu& target = gpu().identity.gpu;
        const auto fastest = stored_schedules(problem_, gpu(), options()).fastest_anywhere();
        if (fastest && is_for(target, fastest->schedule)) return fastest->schedule;
        return gpu_schedule(problem_, target);
    }

    Schedule estimate() const {
        const bool is_cached = gpu().device != nullptr && options().use_kernel_cache;
        return cached_gpu_schedule(problem_, gpu().identity.gpu,
                                   is_cached ? runtime::KernelCache::of_user() : nullptr);
    }

    const Transform& problem_;
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
