#pragma once

#include "plan/recipe.hpp"
#include "plan/steps.hpp"
#include "search/cost_model.hpp"

#include <vector>

/// What a search considers.
namespace swirl::search {

/// The model's candidates that are not hopeless: the cheapest first.
std::vector<Candidate> likely_breakdowns(const planning::Stage& stage, const target::Cpu& cpu,
                                         ir::Scalar scalar, const MachineModel& machine = fitted_machine());

/// A codelet where one is possible, and every choice of every rule that applies; without children and cycles. What is left
/// out needs more than a codelet's worth of straight-line code.
std::vector<Candidate> all_breakdowns(const planning::Stage& stage);

/// Whether one straight-line codelet may compute it.
bool is_codelet(const formula::Formula& transform);

/// Trees that differ in one choice: radices swapped or a factor of two handed from one to another, tiles and blocks of
/// half and double the width.
std::vector<rules::BreakdownTree> neighbours(const rules::BreakdownTree& tree);

} // namespace swirl::search
