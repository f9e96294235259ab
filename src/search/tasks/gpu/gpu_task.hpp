#pragma once

#include "base/error.hpp"
#include "search/options.hpp"
#include "search/tasks/task.hpp"
#include "search/timer/gpu/timer.hpp"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace swirl::search {

/// A problem of any kind on a GPU. The problem and the target must outlive it.
class GpuTask : public Task {
protected:
    GpuTask(Problem problem, const GpuTarget& gpu, const TaskSetting& setting)
        : Task(setting), whole_(std::move(problem)), gpu_(gpu) {}

    const GpuTarget& gpu() const { return gpu_; }
    /// Throws InternalError without one.
    const runtime::GpuDevice& device() const {
        if (gpu_.device == nullptr)
            throw InternalError("no plan for {} without a device", gpu_.identity.gpu.name);
        return *gpu_.device;
    }
    /// Of any kind of plan.
    template <class PlanOptions> PlanOptions plan_options() const {
        return {.check = options().check,
                .use_cache = options().use_kernel_cache,
                .memory_limit = options().memory_limit_bytes,
                .planning_limit = options().planning_limit_seconds,
                .interrupt = interrupt_of(options())};
    }

    /// See ChoiceRequest; without wisdom to keep the result, the shortlist is not timed.
    struct Proposals {
        std::function<planning::Schedule()> estimate;
        std::function<std::vector<planning::Schedule>()> shortlist;
        std::function<SearchSpace(std::vector<planning::Schedule> others)> space;
    };
    /// choose_schedule, with times by the GPU.
    ScheduleCandidate choose_by(StoredSchedules stored, Proposals proposals) {
        std::optional<GpuTimer> of_device; // frees its data before the plan allocates memory
        return choose_schedule({.problem = whole_,
                                .stored = std::move(stored),
                                .effort = options().effort,
                                .seconds = budget_of(options(), {usual_gpu_shortlist_budget, usual_budget}),
                                .recheck_seconds = recheck_seconds,
                                .estimate = std::move(proposals.estimate),
                                .shortlist = options().use_wisdom ? std::move(proposals.shortlist) : nullptr,
                                .space = std::move(proposals.space),
                                .timer = [&]() -> Timer& {
                                    if (given_timer() != nullptr) return *given_timer();
                                    return of_device
                                               ? *of_device
                                               : of_device.emplace(*gpu_.device, options().use_kernel_cache);
                                }});
    }

private:
    /// Time limit in seconds for checking another version's schedule against the estimate.
    static constexpr double recheck_seconds = 1.5;
    /// Time budget for measuring, in seconds: the driver compiles about two hundred kernels in this time.
    static constexpr double usual_budget = 5;

    const Problem whole_;
    const GpuTarget& gpu_;
};

} // namespace swirl::search
