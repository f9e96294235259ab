#include "search/planner.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "base/interrupt_scope.hpp"
#include "base/log.hpp"
#include "plan/schedule.hpp"
#include "problem/validate.hpp"
#include "search/options.hpp"
#include "search/record.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace swirl::search {

namespace {

void validate_for(const Problem& problem, const Target& target) {
    const bool is_for_cpu = std::holds_alternative<const target::Cpu*>(target);
    if (const auto* const product = std::get_if<MatrixProduct>(&problem)) {
        validate(*product);
        if (is_for_cpu) validate_for_cpus(*product);
    } else if (is_for_cpu) {
        validate_for_cpu(std::get<Transform>(problem));
    } else {
        validate(std::get<Transform>(problem));
    }
}

std::unique_ptr<Task> task_for(const Problem& problem, const Target& target, const TaskSetting& setting) {
    validate_for(problem, target);
    return std::visit([&](const auto& kind, const auto& device) { return task_of(kind, device, setting); },
                      problem, target);
}

/// The schedule that the options give. Throws UserError that names both targets if one is a CPU and the other a GPU.
planning::Schedule given_schedule(const Problem& problem, const Target& target, const Options& options) {
    const std::string_view named = planning::target_named_in(options.schedule);
    const auto* const gpu = std::get_if<GpuTarget>(&target);
    if (planning::is_gpu(named) != (gpu != nullptr))
        throw UserError("the schedule is for {}, but the plan is for {}\n  schedule: {}", named,
                        gpu != nullptr ? gpu->identity.gpu.name : std::get<const target::Cpu*>(target)->name,
                        options.schedule);
    return planning::parse_schedule(options.schedule, problem);
}

/// `use` of the task's choice. An entry of wisdom that does not suit the problem, or needs more than this driver has, is forgotten.
template <class Use> auto with_choice(Task& task, Use&& use) {
    for (;;) {
        try {
            return use(task.choose());
        } catch (const UserError&) {
            if (!task.forget()) throw;
        } catch (const Unavailable&) {
            if (!task.forget()) throw;
        }
    }
}

planning::Schedule chosen_schedule(Task& task) {
    return with_choice(task, [](const ScheduleCandidate& chosen) { return chosen.schedule; });
}

AnyPlan plan_of(Task& task) {
    return with_choice(task, [&](const ScheduleCandidate& chosen) { return task.build(chosen); });
}

} // namespace

planning::Schedule choose_schedule(const Problem& problem, const Target& target, const Options& options,
                                   Timer* timer) {
    const ForkSection section;
    check(options);
    const LogSink sink(options.log);
    const InterruptScope interruptible(interrupt_of(options));
    if (!options.schedule.empty()) return given_schedule(problem, target, options);
    return chosen_schedule(*task_for(problem, target, {options, timer}));
}

Choice explained_choice(const Problem& problem, const Target& target, const Options& options, Timer* timer) {
    const ForkSection section;
    check(options);
    const LogSink sink(options.log);
    const InterruptScope interruptible(interrupt_of(options));
    const auto task = task_for(problem, target, {options, timer});
    return task->explained(options.schedule.empty() ? chosen_schedule(*task)
                                                    : given_schedule(problem, target, options));
}

AnyPlan make_plan(const Problem& problem, const Target& target, const Options& options, Timer* timer) {
    const ForkSection section;
    check(options);
    const LogSink sink(options.log);
    const InterruptScope interruptible(interrupt_of(options));
    const auto task = task_for(problem, target, {options, timer});
    if (options.schedule.empty() && is_recording()) record(problem, options.device, threads_of(options));
    if (options.schedule.empty()) return plan_of(*task);
    return task->build({given_schedule(problem, target, options)});
}

AnyPlan make_plan(const Problem& problem, const Options& options, Timer* timer) {
    const ForkSection section;
    check(options);
    return make_plan(problem, target_of(options), options, timer);
}

WisdomState wisdom_state(const Problem& problem, const Target& target, const Options& options) {
    const ForkSection section;
    check(options);
    const auto task = task_for(problem, target, {options});
    std::vector<StoredSchedules> entries = task->entries();
    if (entries.empty()) return WisdomState::nothing_to_time;
    const bool all_known = std::all_of(entries.begin(), entries.end(), [&](StoredSchedules& entry) {
        const std::optional<StoredSchedule> known = entry.lookup();
        return known && known->is_trusted(options.effort);
    });
    return all_known ? WisdomState::known : WisdomState::unknown;
}

void correct_wisdom(const Problem& problem, const Target& target, const Options& options,
                    const planning::Schedule& schedule, double seconds) {
    const ForkSection section;
    const bool is_for_cpu = std::holds_alternative<const target::Cpu*>(target);
    if (is_for_cpu && std::holds_alternative<MatrixProduct>(problem)) return; // the blocks of a data type
    const auto task = task_for(problem, target, {options});
    std::vector<StoredSchedules> entries = task->entries();
    if (entries.size() == 1) entries.front().store(schedule, seconds, FoundBy::measure);
}

void forget_wisdom(const Problem& problem, const Target& target, const Options& options) {
    const ForkSection section;
    const auto task = task_for(problem, target, {options});
    for (StoredSchedules& entry : task->entries()) entry.erase();
}

} // namespace swirl::search
