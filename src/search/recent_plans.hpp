#pragma once

#include "plan/plan.hpp"

#include <functional>
#include <memory>
#include <string>

namespace swirl::search {

/// The plan that this process made for the same request before, if that was lately and it is small; else what `build`
/// returns. Plans do not change, so any number of callers may share one. `request` names everything that a plan
/// depends on. Safe to call from several threads.
std::shared_ptr<const planning::Plan> recent_plan(
    const std::string& request, const std::function<std::shared_ptr<const planning::Plan>()>& build);

} // namespace swirl::search
