#pragma once

#include "plan/plan.hpp"
#include "search/timer/timing.hpp"

namespace swirl::cli {

/// The lower bounds for a plan on this machine, which is probed first if wisdom has no probe.
search::Floors floors_of(const planning::Plan& plan);

/// Which of the two is binding: "arithmetic" or "traffic".
const char* binding_name(const search::Floors& floors);

} // namespace swirl::cli
