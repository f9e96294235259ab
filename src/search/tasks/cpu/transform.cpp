#include "base/error.hpp"
#include "plan/memory_need.hpp"
#include "problem/syntax.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "runtime/kernel_cache.hpp"
#include "runtime/memory_limit.hpp"
#include "runtime/timer.hpp"
#include "search/candidates/cpu/balanced_widths.hpp"
#include "search/candidates/cpu/transforms.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/options.hpp"
#include "search/tasks/task.hpp"
#include "search/timer/cpu/timer.hpp"
#include "search/wisdom/recent_plans.hpp"
#include "search/wisdom/shipped_wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace swirl::search {
namespace {

using planning::Plan;
using planning::Schedule;

/// Time limit in seconds for checking another version's schedule against the estimate.
constexpr double recheck_seconds = 0.3;
/// Fraction of the time budget for one thread's schedule, if a plan for several is to be timed.
constexpr double one_thread_fraction = 0.8;
constexpr double least_budget = 1e-6; ///< seconds; 0 is no limit for an exhaustive search

/// Time budgets for measuring, in seconds: for up to `small` elements in all, and for more.
constexpr double small_budget = 0.8, large_budget = 3.5;
constexpr double small = 65536;

double usual_budget(const Transform& problem) {
    double entries = 1;
    for (const auto* axes : {&problem.dimensions, &problem.batches})
        for (const Dimension& axis : *axes) entries *= static_cast<double>(axis.length);
    return entries <= small ? small_budget : large_budget;
}

/// Whether plans for several threads have widths to vary.
bool can_vary(const SearchSpace& threads_space) {
    return !threads_space.actions.front().neighbours(threads_space.estimate, {}).empty();
}

class CpuTransform : public Task {
public:
    CpuTransform(const Transform& problem, const target::Cpu& cpu, const TaskSetting& setting)
        : Task(setting),
          problem_(problem),
          whole_(problem),
          cpu_(cpu),
          threads_(threads_of(options())),
          budget_(budget_of(options(), {.measure = usual_budget(problem)})),
          check_(options().check && target::host_can_run(cpu)) {}

    AnyPlan build(const ScheduleCandidate& chosen) override {
        planning::require_target(chosen.schedule, cpu_.name);
        if (!chosen.built)
            return recent_plan(request(to_string(chosen.schedule)),
                               [&] { return Plan::build(problem_, chosen.schedule, plan_options()); });
        auto plan = std::static_pointer_cast<const Plan>(chosen.built);
        plan->check(plan_options());
        return plan;
    }

    std::vector<StoredSchedules> entries() const override {
        std::vector<StoredSchedules> result{stored(problem_)};
        const std::optional<StoredSchedule> of_one = threads_ > 1 ? result.front().lookup() : std::nullopt;
        if (of_one && can_vary(threads_space(problem_, of_one->schedule)))
            result.push_back(stored_for_threads(of_one->schedule));
        return result;
    }

private:
    planning::PlanOptions plan_options() const {
        return {.threads = threads_,
                .check = check_,
                .memory_limit = memory_limit(),
                .planning_limit = options().planning_limit_seconds,
                .cache = options().use_kernel_cache ? runtime::KernelCache::of_user() : nullptr,
                .interrupt = interrupt_of(options())};
    }

    ScheduleCandidate chosen() override { return for_threads(of_one_thread()); }

    ScheduleCandidate of_one_thread() {
        std::optional<CpuTimer> of_host;
        const double fraction = threads_ > 1 ? one_thread_fraction : 1;
        return choose_schedule(
            {.problem = whole_,
             .stored = stored(problem_),
             .effort = options().effort,
             .seconds = fraction * budget_,
             .recheck_seconds = recheck_seconds,
             .estimate = [this] { return estimated(); },
             .space = [this](std::vector<Schedule> others) { return space(std::move(others)); },
             .timer = [&]() -> Timer& { return timer_of(of_host, 1); }});
    }

    /// The schedule for the number of threads, of one thread's.
    ScheduleCandidate for_threads(ScheduleCandidate of_one) {
        if (threads_ == 1) return of_one;
        const bool is_models_choice = options().effort == Effort::estimate && !of_one.is_timed();
        const Schedule one = with_balanced_widths(problem_, of_one.schedule, cpu_, threads_);
        if (one != of_one.schedule || !is_models_choice) of_one.built.reset(); // for one thread
        of_one.schedule = one;
        if (is_models_choice) return of_one;
        const SearchSpace space = threads_space(problem_, one);
        if (!can_vary(space)) return of_one;
        std::optional<CpuTimer> of_host;
        return choose_schedule({.problem = whole_,
                                .stored = stored_for_threads(one),
                                .effort = options().effort,
                                .seconds = budget_left(),
                                .recheck_seconds = recheck_seconds,
                                .estimate = [&] { return one; },
                                .space =
                                    [&](std::vector<Schedule> others) {
                                        SearchSpace all = space;
                                        all.proposals = [others](Benchmark&, double) { return others; };
                                        return all;
                                    },
                                .timer = [&]() -> Timer& { return timer_of(of_host, threads_); }});
    }

    Schedule estimated() const {
        const void* const shipped = options().use_wisdom ? shipped_wisdom().data() : nullptr;
        return recent_estimate(request_of_estimate(shipped), [&] {
            Schedule estimate = estimated_schedule(problem_, cpu_, machine());
            for (auto& [problem, schedule] :
                 stored(problem_).shipped_neighbours(whole_, StoredSchedules::Devices::of_this_kind))
                if (is_credible(std::get<Transform>(problem), schedule, estimate)) return schedule;
            return estimate;
        });
    }
    /// Models and shipped wisdom live as long as the process.
    std::string request_of_estimate(const void* shipped) const {
        return fmt::format("{} | {} | model {} | shipped {}", to_text(problem_), cpu_.name,
                           fmt::ptr(&machine()), fmt::ptr(shipped));
    }
    /// Whether the fastest schedule of a neighbour may be the fastest here. There the model was wrong by at least the ratio in
    /// which it rated that schedule worse than its own: here it may rate it worse by as much.
    bool is_credible(const Transform& neighbour, const Schedule& schedule, const Schedule& estimate) const {
        const auto there = rating(neighbour, schedule, estimated_schedule(neighbour, cpu_, machine()));
        const auto here = rating(problem_, schedule, estimate);
        constexpr double rounding = 1 + 1e-9;
        return there && here && *here <= *there * rounding;
    }
    /// The model's time of a schedule over that of another; nothing if it rates one of them not.
    std::optional<double> rating(const Transform& problem, const Schedule& schedule,
                                 const Schedule& other) const {
        const auto a = predicted(problem, schedule), b = predicted(problem, other);
        return a && b ? std::optional(*a / *b) : std::nullopt;
    }
    std::optional<double> predicted(const Transform& problem, const Schedule& schedule) const {
        double sum = 0;
        for (const std::optional<double>& pass : pass_seconds(problem, schedule, cpu_, machine())) {
            if (!pass) return std::nullopt;
            sum += *pass;
        }
        return sum;
    }

    /// What wisdom knows about a problem.
    StoredSchedules stored(const Transform& problem) const {
        return {[this, &problem] {
                    return WisdomKey{cpu_key(cpu_), to_text(problem)};
                },
                [this](const std::string& text) { return parsed(text); }, options().use_wisdom};
    }
    /// Schedules for the number of threads: they differ from one thread's in nothing that changes bits.
    StoredSchedules stored_for_threads(const Schedule& of_one) const {
        return {
            [this] {
                return WisdomKey{cpu_key(cpu_), fmt::format("{}, {} threads", to_text(problem_), threads_)};
            },
            [this, of_one](const std::string& text) {
                Schedule schedule = parsed(text);
                if (!have_same_arithmetic(problem_, schedule, of_one))
                    throw UserError("its results differ in bits from one thread's schedule");
                return schedule;
            },
            options().use_wisdom};
    }
    Schedule parsed(const std::string& text) const {
        Schedule schedule = planning::parse_schedule(text, whole_);
        planning::require_target(schedule, cpu_.name);
        return schedule;
    }

    SearchSpace space(std::vector<Schedule> others) const {
        CpuTransformOptions space{.cpu = cpu_,
                                  .machine = machine(),
                                  .exhaustive = options().effort == Effort::exhaustive,
                                  .others = std::move(others)};
        space.wisdom.lookup = [this](const Transform& subproblem) -> std::optional<TimedTree> {
            const auto known = stored(subproblem).lookup();
            if (!known || !known->is_trusted(options().effort)) return std::nullopt;
            const auto& passes = known->schedule.transform().passes;
            if (passes.size() != 1) return std::nullopt;
            return TimedTree{passes[0].tree, known->seconds};
        };
        space.wisdom.store = [this](const Transform& subproblem, const Schedule& best, double seconds) {
            stored(subproblem).store(best, seconds, found_by(options().effort));
        };
        return cpu_transform_space(problem_, std::move(space));
    }

    const MachineModel& machine() const {
        return options().use_wisdom ? known_machine_model(cpu_) : fitted_machine_model();
    }

    double now() const {
        return given_timer() != nullptr ? given_timer()->now() : runtime::monotonic_seconds();
    }
    double budget_left() const {
        return budget_ > 0 ? std::max(budget_ - (now() - begin_), least_budget) : 0;
    }

    Timer& timer_of(std::optional<CpuTimer>& of_host, int threads) const {
        if (given_timer() != nullptr) return *given_timer();
        require_runnable(cpu_);
        return of_host ? *of_host : of_host.emplace(threads);
    }

    /// In bytes: the one asked for, else what this process may have.
    std::size_t memory_limit() const {
        return options().memory_limit_bytes > 0 ? options().memory_limit_bytes
                                                : static_cast<std::size_t>(runtime::memory_limit());
    }

    /// Everything that a plan depends on; whether code can run may change within a process.
    std::string request(const std::string& schedule) const {
        return fmt::format("{} | {} | {} | threads {}, {}, {}, {} bytes", to_text(problem_), cpu_.name,
                           schedule, threads_, check_ ? "checked" : "unchecked",
                           runtime::ExecutableCode::is_available() ? "code" : "no code",
                           options().memory_limit_bytes);
    }

    const Transform& problem_;
    const Problem whole_;
    const target::Cpu& cpu_;
    const int threads_;
    const double budget_;
    const bool check_;
    const double begin_ = now();
};

} // namespace

std::unique_ptr<Task> task_of(const Transform& problem, const target::Cpu* cpu, const TaskSetting& setting) {
    planning::require_memory(problem);
    return std::make_unique<CpuTransform>(problem, *cpu, setting);
}

} // namespace swirl::search
