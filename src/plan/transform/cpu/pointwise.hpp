#pragma once

#include "lower/lower.hpp"
#include "problem/expression_scope.hpp"
#include "problem/problem.hpp"

#include <vector>

namespace swirl::planning {

/// The load or store expression of a side, which must not be the identity, as lower/ takes it. Its forms have one
/// stride per axis of the side (batches first, then dimensions).
loops::Pointwise pointwise_of(const Transform& problem, Side side);

/// Any expression without 'where' whose arrays are among these. Its forms have one stride per axis of the scope.
loops::Pointwise pointwise_of(const ExpressionTree& tree, const ExpressionScope& scope,
                              const std::vector<AuxiliaryArray>& arrays);

/// The problem's auxiliary arrays as lower/ takes them.
std::vector<lower::AuxiliaryArray> auxiliary_buffers(const Transform& problem);

} // namespace swirl::planning
