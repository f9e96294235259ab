#include "cli/planning.hpp"

#include "cli/progress.hpp"
#include "plan/time_need.hpp"
#include "problem/syntax.hpp"

#include <limits>

namespace swirl::cli {

Effort effort_of(const PlanningOptions& options) {
    return options.exhaustive ? Effort::exhaustive : options.measure ? Effort::measure : Effort::estimate;
}

Options PlanningOptions::plan_options(Device where) const {
    Options options;
    options.device = where;
    options.threads = threads;
    options.effort = effort_of(*this);
    options.time_budget_seconds = budget;
    if (measure || exhaustive) { // Ctrl-C ends the search; the plan is the fastest that it has found
        options.progress = [shown = std::make_shared<SearchProgress>(shows_progress)](
                               const std::string& line) { (*shown)(line); };
        options.enough = is_interrupted;
    }
    options.memory_limit_bytes = memory_limit;
    options.planning_limit_seconds = planning_limit;
    options.cpu = cpu;
    options.schedule = schedule;
    options.check = !no_check;
    options.use_wisdom = !no_wisdom;
    options.use_kernel_cache = !no_cache;
    options.reorder_sass = reorder_sass;
    return options;
}

namespace {

/// Options::cancelled that never cancels: it is called often while planning, which takes about as long as predicted.
std::function<bool()> planning_progress(const Transform& problem, const search::Target& target,
                                        const Options& options) {
    auto shown = std::make_shared<Progress>();
    if (!shown->is_wanted()) return {};
    const planning::Schedule schedule = search::choose_schedule(problem, target, options);
    const double predicted = planning::total(
        planning::time_of(planning::planning_work(problem, schedule, {.check = options.check})));
    return [shown, predicted, text = "planning " + to_text(problem)] {
        const double passed = shown->seconds();
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        const bool is_late = passed > predicted;
        shown->show(is_late ? unknown : passed / predicted, text, is_late ? unknown : predicted - passed);
        return false;
    };
}

} // namespace

std::shared_ptr<const planning::Plan> make_plan(const Transform& problem, const PlanningOptions& options,
                                                search::Purpose purpose) {
    Options plan_options = options.plan_options();
    const search::Target target = search::target_of(plan_options, purpose);
    if (options.shows_progress && plan_options.effort == Effort::estimate)
        plan_options.cancelled = planning_progress(problem, target, plan_options);
    return search::make_plan<planning::Plan>(problem, target, plan_options);
}

} // namespace swirl::cli
