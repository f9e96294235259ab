#pragma once

#include <swirl/plan.hpp>

#include "plan/plan.hpp"
#include "search/planner.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

/// What the C++ and the C interface share.
namespace swirl::api {

enum class Purpose : std::uint8_t {
    execute,
    inspect, ///< the plan is only looked at: it may be for a CPU that this machine is not, and is then not checked
};

/// UserError for what is none.
search::Effort effort_of(Effort effort);

/// The number of threads that an option means; UserError for what is none.
int threads_asked_for(int threads);

/// A callback of the user's to call while planning: it may fork, and wait for threads that do.
using Progress = std::function<void(const std::string&)>;
Progress outside_of_sections(const Progress& progress);

/// Plans as <swirl/plan.hpp> says.
std::shared_ptr<const planning::Plan> build(const Problem& problem, const PlanOptions& options,
                                            Purpose purpose = Purpose::execute);

/// Executes with `workspace`, or, where it is {nullptr, 0}, with memory that the calling thread keeps. Throws UserError
/// unless `workspace` is aligned to 64 bytes and large enough.
void execute(const planning::Plan& plan, const planning::Arguments& arguments, const Workspace& workspace);

} // namespace swirl::api
