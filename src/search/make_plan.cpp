#include "search/planner.hpp"

#include "base/error.hpp"
#include "plan/check/transform.hpp"
#include "plan/memory_need.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "runtime/timer.hpp"
#include "search/candidates/cpu/transforms.hpp"
#include "search/choose.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/timer/cpu/timer.hpp"
#include "search/wisdom/recent_plans.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::search {
namespace {

using planning::Plan;
using planning::Schedule;
using planning::TransformSchedule;

/// Time limit in seconds for checking another version's schedule against the estimate.
constexpr double recheck_seconds = 0.3;
/// Fraction of the time budget for one thread's schedule, if a plan for several is to be timed.
constexpr double one_thread_fraction = 0.8;
constexpr double least_budget = 1e-6; ///< seconds; 0 is no limit for an exhaustive search

/// One call of make_plan.
class Planning {
public:
    Planning(const Transform& problem, const PlannerOptions& options, const target::Cpu& cpu)
        : problem_(problem),
          options_(options),
          cpu_(cpu),
          machine_(options.use_wisdom ? known_machine_model(cpu) : fitted_machine_model()) {}

    std::shared_ptr<const Plan> plan() {
        StoredSchedules of_one = stored(problem_);
        const std::optional<StoredSchedule> known = of_one.lookup();
        const bool is_trusted = known && known->is_trusted(options_.effort);
        if (is_trusted) {
            const ScheduleCandidate of_wisdom{known->schedule, known->seconds};
            if (options_.threads > 1) {
                if (auto plan = built_if_it_fits(for_threads(of_wisdom))) return plan;
                stored_for_threads(known->schedule.transform()).erase();
            }
            if (auto plan = built_if_it_fits(of_wisdom)) return plan;
            of_one.erase();
        }
        if (options_.effort == Effort::estimate)
            return recent_plan(request("estimate"),
                               [&] { return build(estimate(problem_, cpu_, machine_).schedule); });
        return built(for_threads(searched(of_one, is_trusted ? std::nullopt : known)));
    }

private:
    /// What wisdom knows about a problem.
    StoredSchedules stored(const Transform& problem) const {
        return {[this, &problem] {
                    return WisdomKey{cpu_key(cpu_), to_text(problem)};
                },
                [this](const std::string& text) { return Schedule(parsed(text)); }, options_.use_wisdom};
    }
    /// Schedules for the number of threads: they differ from one thread's in nothing that changes bits.
    StoredSchedules stored_for_threads(const TransformSchedule& of_one) const {
        return {[this] {
                    return WisdomKey{cpu_key(cpu_),
                                     fmt::format("{}, {} threads", to_text(problem_), options_.threads)};
                },
                [this, of_one](const std::string& text) {
                    TransformSchedule schedule = parsed(text);
                    if (!have_same_arithmetic(schedule, of_one))
                        throw UserError("its arithmetic is not that of one thread's schedule");
                    return Schedule(std::move(schedule));
                },
                options_.use_wisdom};
    }
    TransformSchedule parsed(const std::string& text) const {
        TransformSchedule schedule = planning::parse_transform_schedule(text);
        if (schedule.target != cpu_.name)
            throw UserError("the schedule is for {}, not for {}", schedule.target, cpu_.name);
        return schedule;
    }

    /// One thread's schedule, by timing.
    ScheduleCandidate searched(StoredSchedules& of_one, const std::optional<StoredSchedule>& known) {
        Timer& timer = timer_for(1);
        const Problem whole = problem_;
        const double fraction = options_.threads > 1 ? one_thread_fraction : 1;
        return choose_schedule(
            {.problem = whole,
             .stored = of_one,
             .effort = options_.effort,
             .seconds = fraction * options_.time_budget_seconds,
             .recheck_seconds = recheck_seconds,
             .estimate = [this] { return Schedule(estimate(problem_, cpu_, machine_).schedule); },
             .space = [this](std::vector<Schedule> others) { return space(std::move(others)); },
             .timer = [&timer]() -> Timer& { return timer; },
             .progress = options_.progress,
             .interrupt = options_.interrupt},
            known);
    }

    /// The schedule for the number of threads, of one thread's.
    ScheduleCandidate for_threads(ScheduleCandidate of_one) {
        if (options_.threads == 1) return of_one;
        of_one.built.reset(); // for one thread
        const TransformSchedule one = of_one.schedule.transform();
        const SearchSpace space = threads_space(one);
        const bool can_vary = !space.actions.front().neighbours(space.estimate, {}).empty();
        if (!can_vary) return of_one;
        StoredSchedules of_many = stored_for_threads(one);
        const Problem whole = problem_;
        return choose_schedule({.problem = whole,
                                .stored = of_many,
                                .effort = options_.effort,
                                .seconds = budget_left(),
                                .recheck_seconds = recheck_seconds,
                                .estimate = [&] { return Schedule(one); },
                                .space =
                                    [&](std::vector<Schedule> others) {
                                        SearchSpace all = space;
                                        all.proposals = [others](Benchmark&, double) { return others; };
                                        return all;
                                    },
                                .timer = [this]() -> Timer& { return timer_for(options_.threads); },
                                .progress = options_.progress,
                                .interrupt = options_.interrupt},
                               of_many.lookup());
    }

    double now() const {
        return options_.timer != nullptr ? options_.timer->now() : runtime::monotonic_seconds();
    }
    double budget_left() const {
        const double all = options_.time_budget_seconds;
        return all > 0 ? std::max(all - (now() - begin_), least_budget) : all;
    }

    Timer& timer_for(int threads) {
        if (options_.timer != nullptr) return *options_.timer;
        return host_timer_.emplace(threads);
    }

    SearchSpace space(std::vector<Schedule> others) const {
        CpuTransformOptions options{.cpu = cpu_,
                                    .machine = machine_,
                                    .exhaustive = options_.effort == Effort::exhaustive,
                                    .others = std::move(others)};
        options.wisdom.lookup = [this](const Transform& subproblem) -> std::optional<TimedTree> {
            const auto known = stored(subproblem).lookup();
            if (!known || !known->is_trusted(options_.effort)) return std::nullopt;
            const TransformSchedule& schedule = known->schedule.transform();
            if (schedule.passes.size() != 1) return std::nullopt;
            return TimedTree{schedule.passes[0].tree, known->seconds};
        };
        options.wisdom.store = [this](const Transform& subproblem, const Schedule& best, double seconds) {
            stored(subproblem).store(best, seconds, found_by(options_.effort));
        };
        return cpu_transform_space(problem_, std::move(options));
    }

    /// Everything that a plan depends on; whether code can run may change within a process.
    std::string request(const std::string& schedule) const {
        return fmt::format("{} | {} | {} | threads {}, {}, model {}, {}", to_text(problem_), cpu_.name,
                           schedule, options_.threads, options_.check ? "checked" : "unchecked",
                           fmt::ptr(&machine_), // models live as long as the process
                           runtime::ExecutableCode::is_available() ? "code" : "no code");
    }

    std::shared_ptr<const Plan> build(const TransformSchedule& schedule) const {
        return Plan::build(problem_, schedule, {.threads = options_.threads, .check = options_.check});
    }

    /// Null if it does not fit the problem.
    std::shared_ptr<const Plan> built_if_it_fits(const ScheduleCandidate& chosen) const {
        try {
            return built(chosen);
        } catch (const UserError&) {
            return nullptr;
        }
    }

    std::shared_ptr<const Plan> built(const ScheduleCandidate& chosen) const {
        if (!chosen.built)
            return recent_plan(request(to_string(chosen.schedule)),
                               [&] { return build(chosen.schedule.transform()); });
        auto plan = std::static_pointer_cast<const Plan>(chosen.built);
        if (options_.check) planning::check_against_definition(*plan);
        return plan;
    }

    const Transform& problem_;
    const PlannerOptions& options_;
    const target::Cpu& cpu_;
    const MachineModel& machine_;
    std::optional<CpuTimer> host_timer_;
    const double begin_ = now();
};

} // namespace

std::shared_ptr<const Plan> make_plan(const Transform& problem, const PlannerOptions& options) {
    validate_for_cpu(problem);
    planning::require_memory(problem);
    const target::Cpu& cpu = options.cpu != nullptr                    ? *options.cpu
                             : runtime::ExecutableCode::is_available() ? target::host_cpu()
                                                                       : target::portable_cpu();
    return Planning(problem, options, cpu).plan();
}

} // namespace swirl::search
