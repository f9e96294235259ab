#pragma once

#include "plan/plan.hpp"
#include "search/timing.hpp"

namespace swirl::cli {

/// The floors under a plan on this machine, which is measured first where that has not been done yet.
search::Floors floors_of(const planning::Plan& plan);

/// Which of the two counts: "arithmetic" or "traffic".
const char* binding_name(const search::Floors& floors);

} // namespace swirl::cli
