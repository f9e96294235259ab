#pragma once

#include "plan/schedule.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "search/cost/cpu/cost_model.hpp"

#include <vector>

/// Candidates of a search.
namespace swirl::search {

/// The model's candidates, cheapest first, without hopeless ones.
std::vector<Candidate> likely_breakdowns(const planning::DimensionPass& pass, const target::Cpu& cpu,
                                         DataType scalar,
                                         const MachineModel& machine = fitted_machine_model());

/// A codelet if one is possible, and every choice of every applicable rule, without children and cycles. Omits
/// breakdowns that need more straight-line code than a codelet may have.
std::vector<Candidate> all_breakdowns(const planning::DimensionPass& pass);

/// Whether one straight-line codelet may compute it.
bool is_codelet(const formula::Formula& transform);

/// Trees that differ in the radices of one product of passes: two swapped, or a factor of two moved from one to another.
std::vector<rules::BreakdownTree> radix_neighbours(const rules::BreakdownTree& tree);
/// Trees that differ in one width of a two-sweep's tiles or blocks: half or double.
std::vector<rules::BreakdownTree> width_neighbours(const rules::BreakdownTree& tree);

} // namespace swirl::search
