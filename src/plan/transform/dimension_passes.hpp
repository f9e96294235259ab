#pragma once

#include "lower/lower.hpp"
#include "plan/schedule.hpp"
#include "plan/transform/cpu/code_options.hpp"
#include "problem/problem.hpp"
#include "target/cpu.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

/// Splits a problem into passes: one kernel per transformed dimension, with loops over the others, and one kernel for
/// all inner dimensions that fit in cache together (row–column: the tutorial, section 4.1).
namespace swirl::planning {

/// The memory that a pass reads or writes. The intermediate holds a half spectrum between the passes of a
/// multi-dimensional backward real transform: contiguous, in the plan's workspace.
enum class DataLocation : std::uint8_t { input, output, intermediate };

/// Whether the caller's array at this location is planar.
bool is_planar(const Transform& problem, DataLocation location);
/// Whether it is the caller's array of the real components that a store callback makes of complex results.
bool stores_reals_at(const Transform& problem, DataLocation location);

/// One pass over a dimension (or several fused ones), before a breakdown is chosen.
struct DimensionPass {
    std::size_t dimension; ///< of the problem; the first one if several are fused
    formula::Formula
        nonterminal; ///< the transform, a Kronecker product or a real DFT of several dimensions if these are
                     ///< fused; I(1) for a copy
    std::optional<formula::Formula>
        before; ///< maps stored elements to the transform's input; absent: the identity
    std::optional<formula::Formula> after; ///< maps its output to stored elements; absent: the identity
    bool complex; ///< entries are complex; else real, and a stored complex element counts as two entries
    DataLocation source;
    DataLocation target;
    std::array<loops::Layout, 2>
        layouts; ///< of input and output: the transform's digits between those of the loops
    std::array<Integer, 2> bases = {0,
                                    0}; ///< elements before entry 0 of each layout, as its strides count them
    std::vector<Integer> left;          ///< loops outside the transform, outermost first
    std::vector<Integer> right;         ///< loops inside it
    long double scale = 1;              ///< may exceed the largest double: one-point cosines multiply by 2
    std::optional<loops::AuxiliaryFactor> auxiliary = {};    ///< a convolution's spectrum
    std::vector<lower::AuxiliaryArray> arrays = {};          ///< all auxiliary arrays of the problem
    std::optional<loops::Pointwise> load = {};               ///< load callback of the first pass
    std::optional<loops::Pointwise> store = {};              ///< store callback of the last pass
    std::array<std::optional<loops::Reach>, 2> reaches = {}; ///< elements that load and store touch
    std::size_t position = 0;                                ///< among the plan's passes, from 0
    std::size_t outer_dimensions = 0; ///< fused ones around the last dimension of a real DFT
};

/// Which dimensions share a kernel.
enum class Fusion : std::uint8_t {
    in_caches, ///< the innermost ones whose data stays in a core's private caches
    none,      ///< one kernel per dimension, as on GPUs
};

/// The transform along a dimension of n points, or I(1); of a real_dft the one in halfcomplex order.
formula::Formula transform_along(TransformKind kind, Integer n, Direction direction);

/// The passes in order of execution; at least one. The problem must be valid.
std::vector<DimensionPass> dimension_passes(const Transform& problem, Fusion fusion = Fusion::in_caches);
/// The same with the dimensions from `first_fused` on fused into one kernel: see first_fused_of.
std::vector<DimensionPass> dimension_passes(const Transform& problem, std::size_t first_fused);
/// The first of the innermost `count` dimensions of more than one point; nothing if there are fewer, or if no formula
/// transforms them together.
std::optional<std::size_t> first_fused_of(const Transform& problem, std::size_t count);

/// The pass's formula with the transform expanded by the tree.
formula::Formula pass_formula(const DimensionPass& pass, const rules::BreakdownTree& tree);

/// The name of the pass's kernel: "dft_pass_1".
std::string kernel_name(const Transform& problem, const DimensionPass& pass);

/// Bytes of the intermediate, in the arithmetic's data type; 0 if none of these passes of the problem uses it.
std::size_t intermediate_bytes(const Transform& problem, std::span<const DimensionPass> passes);
/// The same of the passes that dimension_passes(problem) returns.
std::size_t intermediate_bytes(const Transform& problem);

/// Throws UserError unless the schedule has one entry for each pass.
void require_passes_for(const Schedule& schedule, const std::vector<DimensionPass>& passes);

/// Data type of the arithmetic: float32 for the 16-bit types.
DataType arithmetic_of(DataType precision);

/// A pass with its formula, which is expanded once.
struct ExpandedPass {
    ExpandedPass(const DimensionPass& of, const rules::BreakdownTree& by)
        : pass(of), tree(by), formula(pass_formula(of, by)) {}
    const DimensionPass& pass;
    const rules::BreakdownTree& tree;
    formula::Formula formula;
};

/// The request to lower/ for any target, with the data types of the arithmetic and of the caller's memory.
lower::KernelRequest kernel_request(const Transform& problem, const ExpandedPass& expanded);
/// The same for a CPU.
lower::KernelRequest kernel_request(const Transform& problem, const ExpandedPass& expanded,
                                    const target::Cpu& cpu, const CodeOptions& code = {});

} // namespace swirl::planning
