#pragma once

#include "plan/plan.hpp"
#include "search/machine_model.hpp"

#include <functional>
#include <string>
#include <vector>

/// Choosing a recipe.
namespace swirl::search {

class Timekeeper;

enum class Effort : std::uint8_t {
    estimate,   ///< from the machine tables, nothing is timed
    measure,    ///< times the likely recipes and their parts under a time budget
    exhaustive, ///< times every choice of every rule that applies
};

/// A recipe or rule that was considered and not taken, and why.
struct Rejection {
    std::string what;
    std::string why;
};

struct Choice {
    planning::Recipe recipe;
    double estimated_seconds = 0; ///< the model's figure for one execution
    std::vector<Rejection> rejections;
};

struct PlannerOptions {
    Effort effort = Effort::estimate;
    double time_budget_seconds = 5;   ///< an exhaustive search without one: 0 or infinite
    const target::Cpu* cpu = nullptr; ///< default: the host's best, portable where no code can be generated
    bool use_wisdom = true;
    bool check = true; ///< see planning::PlanOptions
    int threads = 1;   ///< see planning::PlanOptions
    std::function<void(const std::string&)> progress =
        {};                           ///< called with a line now and then while measuring
    Timekeeper* timekeeper = nullptr; ///< default: this machine
};

/// The recipe the model likes best. Throws UserError for an invalid problem or one no rule can break down.
Choice estimate(const Problem& problem, const target::Cpu& cpu,
                const MachineModel& machine = fitted_machine());

/// Wisdom if there is any that can be trusted, else by the effort asked for; measured winners go to wisdom.
///
/// Trusted is what this version of swirl has timed on this machine, and for an exhaustive search what one has found.
/// A recipe of another version is run against the estimate first, where measuring is asked for; recipes of other machines
/// are among what is timed. Neither counts for an estimate.
std::shared_ptr<const planning::Plan> make_plan(const Problem& problem, const PlannerOptions& options = {});

} // namespace swirl::search
