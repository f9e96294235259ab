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

/// Whether the caller keeps what lies there as two arrays.
bool is_planar(const Problem& problem, Place place);

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
    long double scale = 1;      ///< may be more than the largest double: cosines of one point are 2
    std::optional<lower::BesideArray> beside = {}; ///< what a convolution multiplies the spectrum by
    std::vector<lower::CallersArray> arrays = {};  ///< all that the problem has beside input and output
    std::optional<lower::Pointwise> load = {};     ///< of the first stage: what is done to what it reads
    std::optional<lower::Pointwise> store = {};    ///< of the last stage: what is done to what it writes
    std::array<std::optional<lower::Reach>, 2> reaches = {}; ///< elements that the two touch
};

/// Which dimensions go through one kernel together.
enum class Fusion : std::uint8_t {
    in_caches, ///< the innermost ones whose data stays in a core's own caches
    none,      ///< each has a kernel of its own, as on GPUs
};

/// The stages in order of execution; at least one. For a valid problem.
std::vector<Stage> stages(const Problem& problem, Fusion fusion = Fusion::in_caches);
/// The same with the dimensions from `first_fused` on through one kernel together, in a problem of complex numbers.
std::vector<Stage> stages(const Problem& problem, std::size_t first_fused);

/// The stage's formula with the transform expanded as the tree says.
formula::Formula stage_formula(const Stage& stage, const rules::BreakdownTree& tree);

/// Bytes of the intermediate, which holds numbers of the arithmetic; 0 when no stage uses it.
std::size_t intermediate_bytes(const Problem& problem);

/// UserError unless the recipe has a step for each of the stages.
void require_steps_for(const Recipe& recipe, const std::vector<Stage>& stages);

/// What computes numbers of this precision: float32 those of 16 bits.
ir::Scalar arithmetic_of(Precision precision);
/// What the caller keeps them as.
ir::Scalar storage_of(Precision precision);

/// What lower/ is asked for, on whatever machine: of the arithmetic's numbers, those of the caller too.
lower::KernelRequest kernel_request(const Problem& problem, const Stage& stage,
                                    const rules::BreakdownTree& tree);
/// The same for a CPU; of one lane where the code is to be scalar.
lower::KernelRequest kernel_request(const Problem& problem, const Stage& stage,
                                    const rules::BreakdownTree& tree, const target::Cpu& cpu,
                                    bool scalar_code = false);

} // namespace swirl::planning
