#include "cli/tune/tuning.hpp"

#include "base/environment.hpp"
#include "base/error.hpp"
#include "cli/product_data.hpp"
#include "plan/schedule.hpp"
#include "problem/matrix_product.hpp"
#include "problem/problem.hpp"
#include "problem/syntax.hpp"
#include "runtime/timer.hpp"
#include "search/timer/cpu/timer.hpp"
#include "search/timer/cpu/timing.hpp"
#include "search/timer/gpu/timer.hpp"
#include "search/wisdom/shipped_wisdom.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace swirl::cli {
namespace {

using planning::Schedule;
using search::ScheduleCandidate;

/// Seconds for the comparison of the estimate with what was found.
constexpr double comparison_seconds = 0.2;

/// The estimate replaces what a search found if it is faster by this factor in the comparison after it: of many candidates the
/// fastest is partly the luckiest.
constexpr double clearly_faster = 1.01;

/// The choices of a process that has no wisdom of its own.
struct FirstChoices {
    Schedule estimate;
    std::optional<Schedule> first_plan = {};
};

Schedule first_choice(const Problem& problem, const search::Target& target, const Options& options,
                      bool use_shipped) {
    Environment environment;
    environment.set("SWIRL_WISDOM", ":memory:");
    if (!use_shipped) environment.set("SWIRL_SHIPPED_WISDOM", "off");
    const EnvironmentScope scope(environment);
    return search::choose_schedule(problem, target, options);
}

FirstChoices first_choices(const Problem& problem, const search::Target& target, Options options) {
    options.effort = Effort::estimate;
    options.time_budget_seconds = 0; // before anything is timed, and the result stored in memory
    FirstChoices choices{first_choice(problem, target, options, false)};
    options.time_budget_seconds.reset();
    if (options.device.is_gpu() || !search::shipped_wisdom().empty())
        choices.first_plan = first_choice(problem, target, options, true);
    return choices;
}

void time_products(const MatrixProduct& product, std::vector<ScheduleCandidate>& candidates,
                   const Options& options) {
    if (!ProductData::supports(product)) return;
    const ProductData data(product, 1, 1, 0);
    std::vector<std::shared_ptr<const planning::MatrixPlan>> plans;
    std::vector<search::TimedWork> works;
    for (const ScheduleCandidate& candidate : candidates) {
        Options given = options;
        given.effort = Effort::estimate;
        given.schedule = planning::to_string(candidate.schedule);
        plans.push_back(search::make_plan<planning::MatrixPlan>(product, given));
    }
    for (const auto& plan : plans)
        works.push_back({.run = [&data, &plan] { data.execute(*plan); }, .restore = {}});
    const auto times = search::measure_interleaved(works, {.budget = comparison_seconds / 2});
    for (std::size_t k = 0; k < candidates.size(); ++k) candidates[k].seconds = times[k].median;
}

void compare(const Problem& problem, const search::Target& target, std::vector<ScheduleCandidate>& candidates,
             const TuneSetting& setting) {
    const search::Timer::Observer observer{.seen = [](std::size_t) {}};
    if (const auto* const gpu = std::get_if<search::GpuTarget>(&target)) {
        search::GpuTimer timer(*gpu->device, setting.options.use_kernel_cache);
        const bool is_alone = candidates.size() == 1; // of which no shortlist is timed
        timer.compare(problem, candidates, timer.now() + comparison_seconds,
                      is_alone ? search::Care::screen : search::Care::shortlist, observer);
        return;
    }
    if (const auto* const product = std::get_if<MatrixProduct>(&problem))
        return time_products(*product, candidates, setting.options);
    // Twice: a candidate that is interrupted while it is screened takes no part in the rest of a comparison.
    search::CpuTimer timer(setting.options.threads);
    for (int round = 0; round < 2; ++round) {
        std::vector<ScheduleCandidate> timed;
        for (const ScheduleCandidate& candidate : candidates) timed.push_back({candidate.schedule});
        timer.compare(problem, timed, timer.now() + comparison_seconds / 2, search::Care::last, observer);
        for (std::size_t k = 0; k < candidates.size(); ++k)
            candidates[k].seconds = std::min(candidates[k].seconds, timed[k].seconds);
    }
}

/// Times all schedules of a result, equal ones once.
void compare_all(const Problem& problem, const search::Target& target, const FirstChoices& first,
                 const Schedule& found, const TuneSetting& setting, TunedProblem& result) {
    std::vector<ScheduleCandidate> candidates;
    const auto index_of = [&](const Schedule& schedule) {
        const auto at = std::find_if(candidates.begin(), candidates.end(),
                                     [&](const auto& each) { return each.schedule == schedule; });
        if (at == candidates.end()) candidates.push_back({schedule});
        return static_cast<std::size_t>(
            std::find_if(candidates.begin(), candidates.end(),
                         [&](const auto& each) { return each.schedule == schedule; }) -
            candidates.begin());
    };
    const std::size_t estimate = index_of(first.estimate);
    const std::size_t first_plan = first.first_plan ? index_of(*first.first_plan) : estimate;
    const std::size_t best = index_of(found);
    compare(problem, target, candidates, setting);
    result.estimate.seconds = candidates[estimate].seconds;
    result.found.seconds = candidates[best].seconds;
    if (result.first_plan) result.first_plan->seconds = candidates[first_plan].seconds;
}

void search_and_compare(const Problem& problem, const search::Target& target, const TuneSetting& setting,
                        TunedProblem& result) {
    using enum TunedProblem::State;
    const search::WisdomState before = search::wisdom_state(problem, target, setting.options);
    if (before == search::WisdomState::nothing_to_time) {
        result.state = nothing_to_tune;
        return;
    }
    const bool is_known = before == search::WisdomState::known && !setting.again;
    if (is_known) result.state = known;
    if (is_known && !setting.recheck) return;
    std::optional<FirstChoices> first; // before the search stores what it finds
    if (setting.compare) first = first_choices(problem, target, setting.options);
    Options options = setting.options;
    options.enough = setting.is_interrupted;
    if (setting.again) search::forget_wisdom(problem, target, options);
    const double begin = runtime::monotonic_seconds();
    const Schedule found = search::choose_schedule(problem, target, options);
    result.search_seconds = runtime::monotonic_seconds() - begin;
    result.found.schedule = planning::to_string(found);
    if (first) result.estimate.schedule = planning::to_string(first->estimate);
    if (first && first->first_plan) result.first_plan = {planning::to_string(*first->first_plan)};
    if (setting.is_interrupted()) {
        result.state = interrupted;
        return;
    }
    options.effort = Effort::measure; // as which an exhaustive search counts that has not tried everything
    if (search::wisdom_state(problem, target, options) != search::WisdomState::known) {
        result.state = too_short;
        return;
    }
    if (!first) return;
    compare_all(problem, target, *first, found, setting, result);
    if (clearly_faster * result.estimate.seconds < result.found.seconds) {
        search::correct_wisdom(problem, target, options, first->estimate, result.estimate.seconds);
        result.found = result.estimate;
    }
}

} // namespace

bool TunedProblem::is_compared() const {
    return std::isfinite(estimate.seconds) && std::isfinite(found.seconds);
}

double TunedProblem::best_seconds() const {
    double best = std::min(estimate.seconds, found.seconds);
    if (first_plan) best = std::min(best, first_plan->seconds);
    return best;
}

TunedProblem tune(const Problem& problem, const TuneSetting& setting) {
    const search::Target target = search::target_of(setting.options);
    TunedProblem result{.problem = to_text(problem), .device = setting.options.device.text()};
    try {
        search_and_compare(problem, target, setting, result);
    } catch (const Error& error) {
        result.state = TunedProblem::State::failed;
        result.error = error.what();
    }
    return result;
}

} // namespace swirl::cli
