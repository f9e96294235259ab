#pragma once

#include "plan/steps.hpp"
#include "rules/rule.hpp"
#include "search/machine_model.hpp"

#include <string>
#include <vector>

/// What a kernel should cost, from the machine tables alone.
namespace swirl::search {

/// A breakdown of one stage and its estimated time in cycles of vector operations.
struct Candidate {
    rules::BreakdownTree tree;
    double cycles = 0;
};

/// Breakdowns worth considering for a stage, the cheapest first. Throws UserError when no rule applies.
std::vector<Candidate> candidates(const planning::Stage& stage, const target::Cpu& cpu, ir::Scalar scalar,
                                  const MachineModel& machine = fitted_machine());

/// Floating-point operations (fma as one) of a straight-line codelet, about.
double codelet_operations(Integer n);

} // namespace swirl::search
