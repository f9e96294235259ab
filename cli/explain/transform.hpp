#pragma once

#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "problem/problem.hpp"

#include <string>

/// The derivation of a transform: formula, breakdown rules, loop merges, loops after each pass that changes them, ir
/// and code.
namespace swirl::cli {

/// For people and, in short, as figures.
struct TransformDerivation {
    std::string text;
    Json json;
};

/// With the predicted and the measured time of each pass over the data; the latter where this machine can run the plan,
/// which is checked first. `full`: with the ir as lowered and as compiled, and the code.
TransformDerivation derivation_on_cpu(const Transform& problem, const PlanningOptions& options, bool full);
TransformDerivation derivation_on_gpu(const Transform& problem, const PlanningOptions& options, bool full);

} // namespace swirl::cli
