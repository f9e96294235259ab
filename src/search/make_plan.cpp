#include "search/planner.hpp"

#include "base/error.hpp"
#include "plan/check.hpp"
#include "plan/memory_need.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "search/plan_search.hpp"
#include "search/wisdom/recent_plans.hpp"
#include "search/wisdom/transform_wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace swirl::search {
namespace {

using planning::Plan;
using planning::TransformSchedule;

/// Time limit in seconds for checking another version's schedule against the estimate.
constexpr double recheck_seconds = 0.3;
/// A stored schedule is kept if it takes at most this multiple of the estimate's time: a smaller difference may be luck.
constexpr double as_fast = 1.01;

planning::PlanOptions build_options(const PlannerOptions& options) {
    return {.threads = options.threads, .check = options.check};
}

/// One call of make_plan.
class Planning {
public:
    Planning(const Transform& problem, const PlannerOptions& options, const target::Cpu& cpu)
        : problem_(problem),
          options_(options),
          cpu_(cpu),
          wisdom_(cpu, options.use_wisdom),
          machine_(options.use_wisdom ? known_machine_model(cpu) : fitted_machine_model()) {}

    std::shared_ptr<const Plan> plan() {
        const std::optional<StoredTransformSchedule> known = wisdom_.lookup(problem_, options_.threads);
        if (known && is_enough(*known))
            if (auto stored = build_stored(known->schedule)) return stored;
        if (options_.effort == Effort::estimate)
            return recent_plan(request("estimate"),
                               [&] { return build(estimate(problem_, cpu_, machine_).schedule); });
        HostTransformTimer host_timer(problem_, options_.threads);
        TransformTimer& timer = options_.timer ? *options_.timer : host_timer;
        std::optional<TransformCandidate> winner;
        if (known && options_.effort == Effort::measure && !known->is_current)
            winner = rechecked(known->schedule, timer);
        FoundBy how = FoundBy::measure;
        if (!winner) {
            PlanSearch search(problem_, timer, setting(known));
            winner = search.run();
            if (search.is_complete()) how = found_by(options_.effort);
        }
        if (winner->is_timed()) wisdom_.store(problem_, options_.threads, *winner, how);
        return checked(*winner);
    }

private:
    /// Entries of another version were timed on other code, and estimated entries were never timed.
    bool is_enough(const StoredTransformSchedule& known) const {
        if (!known.is_current || known.found_by == FoundBy::estimate) return false;
        return options_.effort != Effort::exhaustive || known.found_by == FoundBy::exhaustive;
    }

    /// Everything that a plan depends on; whether code can run may change within a process.
    std::string request(const std::string& schedule) const {
        return fmt::format("{} | {} | {} | threads {}, {}, model {}, {}", to_text(problem_), cpu_.name,
                           schedule, options_.threads, options_.check ? "checked" : "unchecked",
                           fmt::ptr(&machine_), // models live as long as the process
                           runtime::ExecutableCode::is_available() ? "code" : "no code");
    }

    std::shared_ptr<const Plan> build(const TransformSchedule& schedule) const {
        return Plan::build(problem_, schedule, build_options(options_));
    }

    /// Null if the schedule does not fit; then erases it.
    std::shared_ptr<const Plan> build_stored(const TransformSchedule& schedule) {
        try {
            return recent_plan(request(planning::to_string(schedule)), [&] { return build(schedule); });
        } catch (const UserError&) {
            wisdom_.erase(problem_, options_.threads);
            return nullptr;
        }
    }

    /// Another version's schedule, if it is still as fast as the estimate's.
    std::optional<TransformCandidate> rechecked(const TransformSchedule& schedule,
                                                TransformTimer& timer) const {
        std::vector<TransformCandidate> both{{estimate(problem_, cpu_, machine_).schedule}, {schedule}};
        timer.benchmark(problem_, both, timer.now() + std::min(options_.time_budget_seconds, recheck_seconds),
                        [](std::size_t) {});
        if (!both[1].is_timed() || both[1].seconds > as_fast * both[0].seconds) return std::nullopt;
        return both[1];
    }

    SearchSetting setting(const std::optional<StoredTransformSchedule>& known) {
        const bool is_exhaustive = options_.effort == Effort::exhaustive;
        const bool has_budget = !is_exhaustive || options_.time_budget_seconds > 0;
        SearchSetting setting{
            cpu_, has_budget ? options_.time_budget_seconds : std::numeric_limits<double>::infinity(),
            machine_};
        setting.exhaustive = is_exhaustive;
        setting.extra_candidates = wisdom_.elsewhere(problem_, options_.threads);
        if (known) setting.extra_candidates.insert(setting.extra_candidates.begin(), known->schedule);
        setting.progress = options_.progress;
        const FoundBy how = found_by(options_.effort);
        setting.wisdom.lookup = [this,
                                 how](const Transform& subproblem) -> std::optional<TransformCandidate> {
            const auto stored = wisdom_.lookup(subproblem, 1);
            if (!stored || !stored->is_current || stored->found_by < how) return std::nullopt;
            return TransformCandidate{stored->schedule, stored->seconds};
        };
        setting.wisdom.store = [this, how](const Transform& subproblem, const TransformCandidate& best) {
            wisdom_.store(subproblem, 1, best, how);
        };
        return setting;
    }

    std::shared_ptr<const Plan> checked(const TransformCandidate& winner) const {
        if (!winner.plan) return build(winner.schedule);
        if (options_.check) planning::check_against_definition(*winner.plan);
        return winner.plan;
    }

    const Transform& problem_;
    const PlannerOptions& options_;
    const target::Cpu& cpu_;
    TransformWisdom wisdom_;
    const MachineModel& machine_;
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
