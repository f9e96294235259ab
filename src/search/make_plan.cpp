#include "search/planner.hpp"

#include "base/error.hpp"
#include "plan/check.hpp"
#include "plan/memory_need.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "runtime/executable_memory.hpp"
#include "search/plan_search.hpp"
#include "search/recent_plans.hpp"
#include "search/remembered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace swirl::search {
namespace {

using planning::Plan;
using planning::Recipe;

/// Seconds, at most, for a recipe of another version against the estimate.
constexpr double recheck_seconds = 0.3;
/// A remembered recipe is kept if it takes no more than this part of the estimate's time: less may be luck.
constexpr double as_fast = 1.01;

planning::PlanOptions build_options(const PlannerOptions& options) {
    return {.threads = options.threads, .check = options.check};
}

FoundBy found_by(Effort effort) {
    return effort == Effort::exhaustive ? FoundBy::exhaustive : FoundBy::measure;
}

/// One call of make_plan.
class Planning {
public:
    Planning(const Problem& problem, const PlannerOptions& options, const target::Cpu& cpu)
        : problem_(problem),
          options_(options),
          cpu_(cpu),
          memory_(cpu, options.use_wisdom),
          machine_(options.use_wisdom ? known_machine_model(cpu) : fitted_machine()) {}

    std::shared_ptr<const Plan> plan() {
        const std::optional<Remembered> known = memory_.recall(problem_, options_.threads);
        if (known && is_enough(*known))
            if (auto remembered = build_remembered(known->recipe)) return remembered;
        if (options_.effort == Effort::estimate)
            return recent_plan(request("estimate"),
                               [&] { return build(estimate(problem_, cpu_, machine_).recipe); });
        MachineTimekeeper machine(problem_, options_.threads);
        Timekeeper& timekeeper = options_.timekeeper ? *options_.timekeeper : machine;
        std::optional<Contender> winner;
        if (known && options_.effort == Effort::measure && !known->is_current)
            winner = rechecked(known->recipe, timekeeper);
        FoundBy how = FoundBy::measure;
        if (!winner) {
            PlanSearch search(problem_, timekeeper, setting(known));
            winner = search.run();
            if (search.is_complete()) how = found_by(options_.effort);
        }
        if (winner->is_timed()) memory_.keep(problem_, options_.threads, *winner, how);
        return checked(*winner);
    }

private:
    /// Entries of another version were timed on other code, and nobody timed those of an estimate.
    bool is_enough(const Remembered& known) const {
        if (!known.is_current || known.found_by == FoundBy::estimate) return false;
        return options_.effort != Effort::exhaustive || known.found_by == FoundBy::exhaustive;
    }

    /// All that a plan depends on; whether code can run may change within a process.
    std::string request(const std::string& recipe) const {
        return fmt::format("{} | {} | {} | threads {}, {}, model {}, {}", to_text(problem_), cpu_.name,
                           recipe, options_.threads, options_.check ? "checked" : "unchecked",
                           fmt::ptr(&machine_), // models live as long as the process
                           runtime::ExecutableCode::is_available() ? "code" : "no code");
    }

    std::shared_ptr<const Plan> build(const Recipe& recipe) const {
        return Plan::build(problem_, recipe, build_options(options_));
    }

    /// Null where the recipe does not fit: it is forgotten then.
    std::shared_ptr<const Plan> build_remembered(const Recipe& recipe) {
        try {
            return recent_plan(request(planning::to_string(recipe)), [&] { return build(recipe); });
        } catch (const UserError&) {
            memory_.forget(problem_, options_.threads);
            return nullptr;
        }
    }

    /// A recipe of another version if it still is as fast as the estimate's.
    std::optional<Contender> rechecked(const Recipe& recipe, Timekeeper& timekeeper) const {
        std::vector<Contender> both{{estimate(problem_, cpu_, machine_).recipe}, {recipe}};
        timekeeper.race(problem_, both,
                        timekeeper.now() + std::min(options_.time_budget_seconds, recheck_seconds),
                        [](std::size_t) {});
        if (!both[1].is_timed() || both[1].seconds > as_fast * both[0].seconds) return std::nullopt;
        return both[1];
    }

    SearchSetting setting(const std::optional<Remembered>& known) {
        const bool is_exhaustive = options_.effort == Effort::exhaustive;
        const bool has_budget = !is_exhaustive || options_.time_budget_seconds > 0;
        SearchSetting setting{
            cpu_, has_budget ? options_.time_budget_seconds : std::numeric_limits<double>::infinity(),
            machine_};
        setting.exhaustive = is_exhaustive;
        setting.rivals = memory_.elsewhere(problem_, options_.threads);
        if (known) setting.rivals.insert(setting.rivals.begin(), known->recipe);
        setting.progress = options_.progress;
        const FoundBy how = found_by(options_.effort);
        setting.memory.recall = [this, how](const Problem& part) -> std::optional<Contender> {
            const auto remembered = memory_.recall(part, 1);
            if (!remembered || !remembered->is_current || remembered->found_by < how) return std::nullopt;
            return Contender{remembered->recipe, remembered->seconds};
        };
        setting.memory.keep = [this, how](const Problem& part, const Contender& best) {
            memory_.keep(part, 1, best, how);
        };
        return setting;
    }

    std::shared_ptr<const Plan> checked(const Contender& winner) const {
        if (!winner.plan) return build(winner.recipe);
        if (options_.check) planning::check_against_definition(*winner.plan);
        return winner.plan;
    }

    const Problem& problem_;
    const PlannerOptions& options_;
    const target::Cpu& cpu_;
    RecipeMemory memory_;
    const MachineModel& machine_;
};

} // namespace

std::shared_ptr<const Plan> make_plan(const Problem& problem, const PlannerOptions& options) {
    validate_for_cpu(problem);
    planning::require_memory(problem);
    const target::Cpu& cpu = options.cpu != nullptr                    ? *options.cpu
                             : runtime::ExecutableCode::is_available() ? target::host_cpu()
                                                                       : target::portable_cpu();
    return Planning(problem, options, cpu).plan();
}

} // namespace swirl::search
