#pragma once

#include "cli/planning.hpp"
#include "problem/problem.hpp"

#include <string>

/// The derivation of a transform: formula, breakdown rules, loop merges, loops after each pass that changes them, ir
/// and code.
namespace swirl::cli {

/// `full`: with the ir as lowered and as compiled, and the code.
std::string derivation_on_cpu(const Transform& problem, const PlanningOptions& options, bool full);
std::string derivation_on_gpu(const Transform& problem, const PlanningOptions& options, bool full);

} // namespace swirl::cli
