#include "api/build.hpp"
#include "api/options.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "base/log.hpp"
#include "plan/transform_schedule.hpp"
#include "problem/matrix_product.hpp"
#include "problem/validate.hpp"
#include "search/matrix_planner.hpp"
#include "search/planner.hpp"

namespace swirl::api {
namespace {

/// Default time budgets for measuring, in seconds: for up to `small` elements in all, and for more.
constexpr double small_budget = 0.8, large_budget = 3.5;
constexpr double small = 65536;

/// The CPU that the options name, by schedule or by name; the host's best if they name none.
const target::Cpu& cpu_of(const Options& options) {
    if (options.schedule.empty())
        return options.cpu.empty() ? target::host_cpu() : target::cpu_named(options.cpu);
    const planning::TransformSchedule schedule = planning::parse_transform_schedule(options.schedule);
    if (!options.cpu.empty() && options.cpu != schedule.target)
        throw UserError(
            "cpu is {}, but the schedule is for {}\n  schedule: {}\n  leave out one of them, or make them "
            "agree",
            options.cpu, schedule.target, options.schedule);
    return target::cpu_named(schedule.target);
}

void require_runnable(const target::Cpu& cpu) {
    if (cpu.emitted_only)
        throw Unavailable(
            "cpu is {}, which this machine cannot run: swirl writes C++ for it, not machine code\n"
            "  'swirl emit PROBLEM --cpu {}' makes a file for a compiler; to run here use {}",
            cpu.name, cpu.name, target::host_cpu().name);
    if (!target::host_can_run(cpu))
        throw Unavailable("cpu is {}, whose instructions this machine lacks\n  its best is {}", cpu.name,
                          target::host_cpu().name);
}

double usual_budget(const Transform& problem) {
    double entries = 1;
    for (const auto* axes : {&problem.dimensions, &problem.batches})
        for (const Dimension& axis : *axes) entries *= static_cast<double>(axis.length);
    return entries <= small ? small_budget : large_budget;
}

} // namespace

std::shared_ptr<const planning::Plan> build_on_cpu(const Transform& problem, const Options& options,
                                                   Purpose purpose) {
    const ForkSection section;
    validate_for_cpu(problem);
    check(options);
    const LogSink sink(options.log);
    const int threads = threads_asked_for(options.threads);
    const target::Cpu& cpu = cpu_of(options);
    const bool is_foreign = !target::host_can_run(cpu);
    if (purpose == Purpose::execute || options.effort != Effort::estimate) require_runnable(cpu);
    const bool check_first = options.check && !is_foreign;
    if (!options.schedule.empty())
        return planning::Plan::build(problem, planning::parse_transform_schedule(options.schedule),
                                     {.threads = threads, .check = check_first});
    return search::make_plan(problem, {.effort = options.effort,
                                       .time_budget_seconds = budget_of(options, usual_budget(problem), 0),
                                       .cpu = &cpu,
                                       .use_wisdom = options.use_wisdom,
                                       .check = check_first,
                                       .threads = threads,
                                       .progress = progress_of(options)});
}

std::shared_ptr<const planning::MatrixPlan> build_on_cpu(const MatrixProduct& product,
                                                         const Options& options) {
    const ForkSection section;
    validate(product);
    check(options);
    const LogSink sink(options.log);
    validate_for_cpus(product);
    const target::Cpu* cpu = nullptr;
    if (!options.cpu.empty()) {
        cpu = &target::cpu_named(options.cpu);
        require_runnable(*cpu);
    }
    return search::make_matrix_plan(
        product, {.threads = threads_asked_for(options.threads),
                  .accuracy = options.accuracy,
                  .effort = options.effort,
                  .time_budget_seconds = options.time_budget_seconds.value_or(search::usual_schedule_budget),
                  .progress = progress_of(options),
                  .cpu = cpu,
                  .schedule = options.schedule,
                  .use_wisdom = options.use_wisdom,
                  .check = options.check});
}

} // namespace swirl::api
