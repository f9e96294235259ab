#pragma once

#include "cli/planning.hpp"
#include "problem/problem.hpp"

#include <string>

namespace swirl::cli {

/// How a formula becomes code: as given, each rewriting by its rule, with its transforms broken down, then each pass as
/// loops, as ir, and as assembly, C++ or PTX.
std::string text_of_derivation(const Transform& problem, const PlanningOptions& options);

} // namespace swirl::cli
