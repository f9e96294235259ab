#pragma once

#include "plan/transform/dimension_passes.hpp"
#include "problem/problem.hpp"
#include "rules/rule.hpp"

#include <optional>
#include <vector>

/// Subproblems of a transform as problems of their own, so that they can be timed.
namespace swirl::search {

/// A transform that a rule leaves, and the problem closest to how it will run there: with its strides, its surrounding
/// loops, and its data in or out of cache.
struct Subproblem {
    formula::Formula transform;
    std::optional<Transform> problem; ///< nothing if no problem expresses it
    double times = 1;                 ///< executions of `problem` per execution of the enclosing transform
};

/// The transforms that a rule leaves, as rules::nonterminals returns them, without building large formulas.
std::vector<formula::Formula> children_of(std::string_view rule, const rules::Choice& choice,
                                          const formula::Formula& transform);

/// The subproblems of a pass of `whole` under a rule, one for each of its children.
std::vector<Subproblem> subproblems_of(const Transform& whole, const planning::DimensionPass& pass,
                                       std::string_view rule, const rules::Choice& choice);

/// One pass of a multi-pass problem, as a problem of one pass.
std::optional<Transform> problem_of(const Transform& whole, const planning::DimensionPass& pass);

} // namespace swirl::search
