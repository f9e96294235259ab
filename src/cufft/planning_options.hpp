#pragma once

#include <swirl/options.hpp>

namespace swirl::cufft {

/// How plans for a GPU are made: as swirl::plan does by default, with what the environment says.
///   SWIRL_CUFFT_PLANNING_SECONDS   Options::time_budget_seconds
///   SWIRL_CUFFT_CHECK=0            no check before first use
Options planning_options(int ordinal);

/// SWIRL_CUFFT_VERBOSE=1: whether each new plan prints what it computes, and how.
bool prints_plans();

} // namespace swirl::cufft
