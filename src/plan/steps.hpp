#pragma once

#include "lower/lower.hpp"
#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "target/cpu.hpp"

#include <array>
#include <optional>
#include <vector>

/// A problem as a sequence of kernels: one a dimension that needs transforming, the others being loops around it, and
/// one for all inner dimensions that fit in cache together (row–column: the tutorial, section 4.1).
namespace swirl::planning {

/// Whose memory a stage reads or writes. The intermediate holds a half spectrum between the stages of a
/// multi-dimensional backward real transform, contiguous, in the plan's workspace.
enum class Place : std::uint8_t { input, output, intermediate };

/// What the kernel for one dimension computes, before a breakdown is chosen.
struct Stage {
    std::size_t dimension; ///< of the problem; of several that are transformed together the first
    formula::Formula
        nonterminal; ///< the transform, of several dimensions a Kronecker product; I(1) when there is only to copy
    std::optional<formula::Formula>
        before; ///< maps what is stored to the transform's input, nothing: the same
    std::optional<formula::Formula> after; ///< maps the transform's output to what is stored
    bool complex; ///< entries are complex; else reals, a stored complex number being two of them
    Place source;
    Place target;
    std::array<lower::Layout, 2>
        layouts;                ///< of input and output, with the loops' digits around the transform's
    std::vector<Integer> left;  ///< loops outside the transform, outermost first
    std::vector<Integer> right; ///< loops inside it
    double scale = 1;
};

/// The stages in order of execution; at least one. For a valid problem.
std::vector<Stage> stages(const Problem& problem);

/// The stage's formula with the transform expanded as the tree says.
formula::Formula stage_formula(const Stage& stage, const rules::BreakdownTree& tree);

/// Complex elements of the intermediate; 0 when no stage uses it.
Integer intermediate_elements(const Problem& problem);

/// What lower/ is asked for; of one lane where the code is to be scalar.
lower::KernelRequest kernel_request(const Problem& problem, const Stage& stage,
                                    const rules::BreakdownTree& tree, const target::Cpu& cpu,
                                    bool scalar_code = false);

} // namespace swirl::planning
