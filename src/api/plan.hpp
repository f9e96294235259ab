#pragma once

#include <swirl/plan.hpp>

#include "plan/plan.hpp"
#include "search/planner.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

/// Planning shared by the C++ and the C interface.
namespace swirl::api {

enum class Purpose : std::uint8_t {
    execute,
    inspect, ///< only inspected: it may be for a CPU other than the host's, and is then not verified
};

/// Throws UserError for an invalid value.
Effort effort_of(Effort effort);

/// The number of threads that an option requests; throws UserError for an invalid value.
int threads_asked_for(int threads);

/// A user callback during planning: it may fork, and wait for threads that fork.
using Progress = std::function<void(const std::string&)>;
Progress outside_of_sections(const Progress& progress);

/// Plans as <swirl/plan.hpp> documents.
std::shared_ptr<const planning::Plan> build(const Transform& problem, const PlanOptions& options,
                                            Purpose purpose = Purpose::execute);

/// Executes with `workspace`, or, if it is {nullptr, 0}, with memory of the calling thread. Throws UserError unless
/// `workspace` is 64-byte aligned and large enough.
void execute(const planning::Plan& plan, const planning::Arguments& arguments, const Workspace& workspace);

} // namespace swirl::api
