#pragma once

#include "plan/transform/cpu/plan.hpp"

#include <functional>
#include <memory>
#include <string>

namespace swirl::search {

/// The plan that this process recently built for the same request, if it is small; else the result of `build`. Plans
/// are immutable, so callers can share one. `request` names everything that a plan depends on. Thread-safe.
std::shared_ptr<const planning::Plan> recent_plan(
    const std::string& request, const std::function<std::shared_ptr<const planning::Plan>()>& build);

/// The same for the model's schedules.
planning::Schedule recent_estimate(const std::string& request,
                                   const std::function<planning::Schedule()>& estimate);

} // namespace swirl::search
