#include "cli/planning.hpp"

#include <cstdio>

namespace swirl::cli {

Effort effort_of(const PlanningOptions& options) {
    return options.exhaustive ? Effort::exhaustive : options.measure ? Effort::measure : Effort::estimate;
}

void print_progress(const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }

Options PlanningOptions::plan_options(Device where) const {
    Options options;
    options.device = where;
    options.threads = threads;
    options.effort = effort_of(*this);
    options.time_budget_seconds = budget;
    options.progress = print_progress;
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

std::shared_ptr<const planning::Plan> make_plan(const Transform& problem, const PlanningOptions& options,
                                                search::Purpose purpose) {
    const Options plan_options = options.plan_options();
    return search::make_plan<planning::Plan>(problem, search::target_of(plan_options, purpose), plan_options);
}

} // namespace swirl::cli
