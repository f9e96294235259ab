#pragma once

#include "plan/steps.hpp"
#include "rules/rule.hpp"

#include <string>
#include <vector>

/// What a kernel should cost, from the machine tables alone.
namespace swirl::search {

/// Clock rate the model's cycles are turned into seconds with, where nothing is measured.
constexpr double assumed_hertz = 3e9;

/// A breakdown of one stage and its estimated time in cycles of vector operations.
struct Candidate {
    rules::BreakdownTree tree;
    double cycles = 0;
};

/// Breakdowns worth considering for a stage, the cheapest first. Throws UserError when no rule applies.
std::vector<Candidate> candidates(const planning::Stage& stage, const target::Cpu& cpu, ir::Scalar scalar);

/// Floating-point operations (fma as one) of a straight-line codelet, about.
double codelet_operations(Integer n);

} // namespace swirl::search
