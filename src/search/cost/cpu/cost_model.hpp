#pragma once

#include "plan/transform/dimension_passes.hpp"
#include "rules/rule.hpp"
#include "search/cost/cpu/cycle_constants.hpp"
#include "search/cost/cpu/machine_model.hpp"

#include <optional>
#include <string>
#include <vector>

/// Estimated cost of kernels, from the machine tables alone.
namespace swirl::search {

/// A breakdown of one pass and its estimated time in cycles of vector operations.
struct Candidate {
    rules::BreakdownTree tree;
    double cycles = 0;
};

/// Breakdowns worth considering for a pass, cheapest first. Throws UserError when no rule applies.
std::vector<Candidate> candidates(const planning::DimensionPass& pass, const target::Cpu& cpu,
                                  DataType scalar, const MachineModel& machine = fitted_machine_model());

/// Cycles of a tree of codelets, products of passes, two sweeps and half-size real transforms, with these constants; nullopt for
/// other trees. For fits: `candidates` takes the constants of the CPU.
std::optional<double> tree_cycles(const planning::DimensionPass& pass, const rules::BreakdownTree& tree,
                                  const target::Cpu& cpu, DataType scalar, const MachineModel& machine,
                                  const CycleConstants& constants);

/// Approximate floating-point operations of a straight-line codelet; an fma counts as one.
double codelet_operations(Integer n);

} // namespace swirl::search
