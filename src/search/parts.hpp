#pragma once

#include "plan/steps.hpp"
#include "problem/problem.hpp"
#include "rules/rule.hpp"

#include <optional>
#include <vector>

/// Pieces of a transform as problems of their own, so that they can be timed.
namespace swirl::search {

/// A transform that a rule leaves, and the problem that comes nearest to how it will run there: with the strides and the
/// loops around it, its data in the caches or not.
struct Part {
    formula::Formula transform;
    std::optional<Problem> problem; ///< nothing where no problem says it
    double times = 1;               ///< executions of `problem` in one of what is around it
};

/// The transforms that a rule leaves, as rules::nonterminals has them; without building what is large.
std::vector<formula::Formula> children_of(std::string_view rule, const rules::Choice& choice,
                                          const formula::Formula& transform);

/// The parts of a stage of `whole` by a rule, one for each of its children.
std::vector<Part> parts_of(const Problem& whole, const planning::Stage& stage, std::string_view rule,
                           const rules::Choice& choice);

/// A stage of a problem that has several, as a problem of one stage.
std::optional<Problem> problem_of(const Problem& whole, const planning::Stage& stage);

} // namespace swirl::search
