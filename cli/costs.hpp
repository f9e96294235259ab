#pragma once

#include "cli/output.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "search/planner.hpp"
#include "search/timer/cpu/timing.hpp"

#include <optional>
#include <string>
#include <vector>

/// What every plan is held against, on every device.
namespace swirl::cli {

struct PlanCosts {
    std::optional<search::Floors> floors = {};
    std::string no_floors_because = {}; ///< if there are none
    std::string estimated = {};         ///< the schedule that the estimate is of
    bool is_of_plan = true;             ///< and it is the plan's own
    double seconds = 0;                 ///< the model's estimate, never below the floors
    std::vector<search::Rejection> rejections = {};

    /// Another machine's rates, or a fitted model, may promise less than what no execution can beat.
    void raise_to_floors();
    /// Floors by the rates of a GPU's target; none if it is no particular card.
    void set_gpu_floors(std::optional<search::Floors> of_target, const target::Gpu& gpu);
};

/// Without floors: the sum of the model's seconds for the passes of a plan's schedule or, where the model does not rate one
/// of them, the estimate of the model's choice.
PlanCosts costs_of(search::Choice choice, const planning::Schedule& schedule,
                   const std::vector<std::optional<double>>& pass_seconds);

/// Of a CPU's plan: floors by the probe of this machine if it can run the plan.
PlanCosts costs_on_cpu(const planning::Plan& plan, bool use_wisdom);

/// What the two first lines of text_of say.
std::string text_of_floors(const PlanCosts& costs);
std::string text_of_estimate(const PlanCosts& costs);

/// Lines for the floors and the estimate, then a table of what was not taken, and why.
std::string text_of(const PlanCosts& costs);
/// Adds the members "floors", "estimate" and "rejected".
void add_costs(Json& report, const PlanCosts& costs);

} // namespace swirl::cli
