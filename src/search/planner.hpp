#pragma once

#include <swirl/options.hpp>

#include "plan/plan.hpp"
#include "search/cost/machine_model.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Chooses a schedule.
namespace swirl::search {

class Timer;

/// A schedule or rule that was considered and rejected, and why.
struct Rejection {
    std::string what;
    std::string why;
};

struct Choice {
    planning::TransformSchedule schedule;
    double estimated_seconds = 0; ///< the model's prediction for one execution
    std::vector<Rejection> rejections;
};

/// The breakdown rules that do not apply to a transform.
std::vector<Rejection> inapplicable_rules(const formula::Formula& nonterminal);

struct PlannerOptions {
    Effort effort = Effort::estimate;
    double time_budget_seconds = 5;   ///< for an exhaustive search, 0 or infinite means no budget
    const target::Cpu* cpu = nullptr; ///< default: the host's best, portable if no code can be generated
    bool use_wisdom = true;
    bool check = true; ///< see planning::PlanOptions
    int threads = 1;   ///< see planning::PlanOptions
    std::function<void(const std::string&)> progress =
        {};                               ///< called with a progress line now and then while timing
    std::function<void()> interrupt = {}; ///< called often while timing; throws to cancel
    Timer* timer = nullptr;               ///< default: this machine
};

/// The model's best schedule. Throws UserError for an invalid problem or one that no rule can break down.
Choice estimate(const Transform& problem, const target::Cpu& cpu,
                const MachineModel& machine = fitted_machine_model());

/// The model's seconds for each pass of a schedule; nothing for a breakdown that the model does not rate.
std::vector<std::optional<double>> pass_seconds(const Transform& problem,
                                                const planning::TransformSchedule& schedule,
                                                const target::Cpu& cpu,
                                                const MachineModel& machine = fitted_machine_model());

/// The plan of one thread's schedule: a trusted one from wisdom, else the result of the requested effort (choose.hpp).
/// Timed winners are stored in wisdom, those of subproblems too.
///
/// At any number of threads the arithmetic is that of one thread's schedule, so results have the same bits. If a plan for
/// several threads is to be timed, one thread's schedule is tuned first, unless wisdom has it; then only what keeps all
/// bits is tuned for that number of threads (threads_space).
std::shared_ptr<const planning::Plan> make_plan(const Transform& problem, const PlannerOptions& options = {});

} // namespace swirl::search
