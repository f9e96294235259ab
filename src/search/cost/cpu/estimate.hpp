#pragma once

#include "formula/formula.hpp"
#include "plan/schedule.hpp"
#include "problem/problem.hpp"
#include "search/choice.hpp"
#include "search/cost/cpu/machine_model.hpp"
#include "target/cpu.hpp"

#include <optional>
#include <vector>

/// Chooses a schedule for a CPU without timing.
namespace swirl::search {

/// The breakdown rules that do not apply to a transform.
std::vector<Rejection> inapplicable_rules(const formula::Formula& nonterminal);

/// The model's best schedule, and why not another. Throws UserError for an invalid problem or one that no rule can break
/// down.
Choice estimate(const Transform& problem, const target::Cpu& cpu,
                const MachineModel& machine = fitted_machine_model());
/// The schedule alone, in a fraction of the time.
planning::Schedule estimated_schedule(const Transform& problem, const target::Cpu& cpu,
                                      const MachineModel& machine = fitted_machine_model());

/// The model's seconds for each pass of a transform's schedule; nothing for a breakdown that the model does not rate.
std::vector<std::optional<double>> pass_seconds(const Transform& problem, const planning::Schedule& schedule,
                                                const target::Cpu& cpu,
                                                const MachineModel& machine = fitted_machine_model());

} // namespace swirl::search
