#pragma once

#include <swirl/options.hpp>

#include "plan/plan.hpp"
#include "search/cost/machine_model.hpp"

#include <functional>
#include <string>
#include <vector>

/// Chooses a schedule.
namespace swirl::search {

class TransformTimer;

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

struct PlannerOptions {
    Effort effort = Effort::estimate;
    double time_budget_seconds = 5;   ///< for an exhaustive search, 0 or infinite means no budget
    const target::Cpu* cpu = nullptr; ///< default: the host's best, portable if no code can be generated
    bool use_wisdom = true;
    bool check = true; ///< see planning::PlanOptions
    int threads = 1;   ///< see planning::PlanOptions
    std::function<void(const std::string&)> progress =
        {};                          ///< called with a progress line now and then while timing
    TransformTimer* timer = nullptr; ///< default: this machine
};

/// The model's best schedule. Throws UserError for an invalid problem or one that no rule can break down.
Choice estimate(const Transform& problem, const target::Cpu& cpu,
                const MachineModel& machine = fitted_machine_model());

/// A trusted schedule from wisdom, else the result of the requested effort; timed winners are stored in wisdom.
///
/// Trusted entries were timed on this machine by this version of swirl; for an exhaustive search, by an exhaustive one.
/// If timing is allowed, a schedule of another version is first timed against the estimate, and schedules of other machines
/// are among the candidates. Neither is used for an estimate.
std::shared_ptr<const planning::Plan> make_plan(const Transform& problem, const PlannerOptions& options = {});

} // namespace swirl::search
