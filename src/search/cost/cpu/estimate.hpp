#pragma once

#include "plan/schedule.hpp"
#include "problem/problem.hpp"
#include "search/cost/cpu/machine_model.hpp"
#include "target/cpu.hpp"

#include <string>
#include <vector>

/// Chooses a schedule for a CPU without timing.
namespace swirl::search {

/// A schedule or rule that was considered and rejected, and why.
struct Rejection {
    std::string what;
    std::string why;
};

struct Choice {
    planning::Schedule schedule;
    double estimated_seconds = 0; ///< the model's prediction for one execution
    std::vector<Rejection> rejections;
};

/// The model's best schedule. Throws UserError for an invalid problem or one that no rule can break down.
Choice estimate(const Transform& problem, const target::Cpu& cpu,
                const MachineModel& machine = fitted_machine_model());

} // namespace swirl::search
