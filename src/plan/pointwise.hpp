#pragma once

#include "lower/lower.hpp"
#include "problem/expression_scope.hpp"
#include "problem/problem.hpp"

#include <vector>

namespace swirl::planning {

/// A side's expression, which is not the identity, as lower/ wants it. Its forms have a stride for each of the side's axes
/// (batches first, then dimensions).
lower::Pointwise pointwise_of(const Problem& problem, Side side);

/// Any expression without 'where', its arrays among these. Its forms have a stride for each of the scope's axes.
lower::Pointwise pointwise_of(const ExpressionTree& tree, const ExpressionScope& scope,
                              const std::vector<ProblemArray>& arrays);

/// The problem's arrays as lower/ wants them.
std::vector<lower::CallersArray> callers_arrays(const Problem& problem);

} // namespace swirl::planning
