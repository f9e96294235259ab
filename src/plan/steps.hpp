#pragma once

#include "lower/lower.hpp"
#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "target/cpu.hpp"

#include <vector>

/// A problem as a sequence of kernels: one a dimension that needs transforming, the others being loops around it
/// (row–column: the tutorial, section 4.1).
namespace swirl::planning {

/// What the kernel for one dimension computes, before a breakdown is chosen.
struct Stage {
    std::size_t dimension; ///< of the problem
    formula::Formula
        nonterminal;     ///< the one-dimensional transform; I(1) when there is nothing to do but copy
    bool complex;        ///< entries are complex
    Placement placement; ///< a first stage may read the input; the others work on the output in place
    std::vector<lower::Layout>
        layouts;                ///< of input and output, with the loops' digits around the transform's
    std::vector<Integer> left;  ///< loops outside the transform, outermost first
    std::vector<Integer> right; ///< loops inside it
    double scale;
};

/// The stages in order of execution; at least one. For a valid problem.
std::vector<Stage> stages(const Problem& problem);

/// The stage's formula with the transform expanded as the tree says.
formula::Formula stage_formula(const Stage& stage, const rules::BreakdownTree& tree);

/// What lower/ is asked for.
lower::KernelRequest kernel_request(const Problem& problem, const Stage& stage,
                                    const rules::BreakdownTree& tree, const target::Cpu& cpu);

} // namespace swirl::planning
