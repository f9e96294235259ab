#include "api/plan.hpp"

#include "api/arguments.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "problem/validate.hpp"
#include "runtime/cpu/team.hpp"
#include "search/planner.hpp"

#include <cstdint>

namespace swirl {
namespace api {
namespace {

constexpr int most_threads = 4096;
/// Default time budgets for measuring, in seconds: for up to `small` elements in all, and for more.
constexpr double small_budget = 0.8, large_budget = 3.5;
constexpr double small = 65536;

/// The CPU that the options name, by recipe or by name; the host's best if they name none.
const target::Cpu& cpu_of(const PlanOptions& options) {
    if (options.recipe.empty())
        return options.cpu.empty() ? target::host_cpu() : target::cpu_named(options.cpu);
    const planning::Recipe recipe = planning::parse_recipe(options.recipe);
    if (!options.cpu.empty() && options.cpu != recipe.target)
        throw UserError(
            "cpu is {}, but the recipe is for {}\n  recipe: {}\n  leave out one of them, or make them agree",
            options.cpu, recipe.target, options.recipe);
    return target::cpu_named(recipe.target);
}

void require_runnable(const target::Cpu& cpu) {
    if (cpu.emitted_only)
        throw UserError(
            "cpu is {}, which this machine cannot run: swirl writes C++ for it, not machine code\n"
            "  'swirl emit PROBLEM --cpu {}' makes a file for a compiler; to run here use {}",
            cpu.name, cpu.name, target::host_cpu().name);
    if (!target::host_can_run(cpu))
        throw UserError("cpu is {}, whose instructions this machine lacks\n  its best is {}", cpu.name,
                        target::host_cpu().name);
}

void check_options(const PlanOptions& options) {
    if (options.time_budget_seconds && !(*options.time_budget_seconds >= 0))
        throw UserError("time_budget_seconds is {}; use a number that is not negative",
                        *options.time_budget_seconds);
}

/// Time limit of the search in seconds; 0 means no limit, the default of an exhaustive search.
double budget_of(const Transform& problem, const PlanOptions& options) {
    if (options.time_budget_seconds) return *options.time_budget_seconds;
    if (options.effort == Effort::exhaustive) return 0;
    double entries = 1;
    for (const auto* axes : {&problem.dimensions, &problem.batches})
        for (const Dimension& axis : *axes) entries *= static_cast<double>(axis.length);
    return entries <= small ? small_budget : large_budget;
}

void check_workspace(const Workspace& workspace, std::size_t needed) {
    constexpr std::uintptr_t alignment = 64;
    if (workspace.bytes < needed)
        throw UserError("the workspace has {} bytes; this plan needs {}", workspace.bytes, needed);
    if (workspace.data == nullptr)
        throw UserError("the workspace of {} bytes is a null pointer", workspace.bytes);
    if (reinterpret_cast<std::uintptr_t>(workspace.data) % alignment != 0)
        throw UserError("the workspace at {} is not aligned to {} bytes", workspace.data, alignment);
}

} // namespace

Effort effort_of(Effort effort) {
    switch (effort) {
    case Effort::estimate: return Effort::estimate;
    case Effort::measure: return Effort::measure;
    case Effort::exhaustive: return Effort::exhaustive;
    }
    throw UserError("effort is {}, which is not one of Effort's values", static_cast<int>(effort));
}

int threads_asked_for(int threads) {
    if (threads < 0 || threads > most_threads)
        throw UserError("threads is {}; use 1 to {}, or 0 for all processors", threads, most_threads);
    return threads == 0 ? runtime::processors() : threads;
}

Progress outside_of_sections(const Progress& progress) {
    if (!progress) return {};
    return [progress](const std::string& line) {
        const ForkSection::Outside outside;
        progress(line);
    };
}

std::shared_ptr<const planning::Plan> build(const Transform& problem, const PlanOptions& options,
                                            Purpose purpose) {
    const ForkSection section;
    validate_for_cpu(problem);
    check_options(options);
    const int threads = threads_asked_for(options.threads);
    const target::Cpu& cpu = cpu_of(options);
    const bool is_foreign = !target::host_can_run(cpu);
    if (purpose == Purpose::execute || options.effort != Effort::estimate) require_runnable(cpu);
    const bool check = options.check && !is_foreign;
    if (!options.recipe.empty())
        return planning::Plan::build(problem, planning::parse_recipe(options.recipe),
                                     {.threads = threads, .check = check});
    return search::make_plan(problem, {.effort = effort_of(options.effort),
                                       .time_budget_seconds = budget_of(problem, options),
                                       .cpu = &cpu,
                                       .use_wisdom = options.use_wisdom,
                                       .check = check,
                                       .threads = threads,
                                       .progress = outside_of_sections(options.progress)});
}

void execute(const planning::Plan& plan, const planning::Arguments& arguments, const Workspace& workspace) {
    if (workspace.data == nullptr && workspace.bytes == 0) {
        plan.execute(arguments);
        return;
    }
    check_workspace(workspace, plan.workspace_bytes());
    plan.execute(arguments, workspace.data);
}

} // namespace api

Plan plan(const Transform& problem, const PlanOptions& options) { return Plan(api::build(problem, options)); }

const Transform& Plan::problem() const { return plan_->problem(); }
std::string Plan::recipe() const { return planning::to_string(plan_->recipe()); }
std::size_t Plan::workspace_bytes() const { return plan_->workspace_bytes(); }
int Plan::threads() const { return plan_->threads(); }
double Plan::flops() const { return plan_->flops(); }
double Plan::bytes() const { return plan_->bytes(); }

Plan::Plan(std::shared_ptr<const planning::Plan> plan)
    : signature_(api::signature_of(plan->problem())), plan_(std::move(plan)) {}

void Plan::run(std::initializer_list<detail::Pointer> arrays, Workspace workspace) const {
    const detail::Pointer* const array = arrays.begin();
    if (signature_.exists && arrays.size() == 2 && array[0].element == signature_.input &&
        array[1].element == signature_.output && !array[1].is_const && workspace.data == nullptr &&
        workspace.bytes == 0)
        return plan_->execute({.input = array[0].data, .output = array[1].data});
    const auto arguments = api::arguments_of(plan_->problem(), {arrays.begin(), arrays.size()});
    api::execute(*plan_, arguments, workspace);
}

} // namespace swirl
