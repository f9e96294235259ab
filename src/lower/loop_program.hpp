#pragma once

#include "formula/formula.hpp"
#include "lower/endpoint.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Formulas as loops around codelets: what stands between a formula and ir, and what portable kernels run.
namespace swirl::lower {

struct Loop {
    Variable variable;
    Integer count;
};

/// Straight-line code from `columns` entries to `rows`, to be run once an iteration of independent loops.
struct Codelet {
    Integer rows;
    Integer columns;
    std::optional<formula::Formula> formula; ///< absent: entries move unchanged (1×1) or become zero (1×0)
    std::vector<formula::Formula> then = {}; ///< applied afterwards, one after the other
};

/// A formula evaluated straight-line.
Codelet codelet_of(const formula::Formula& formula);
/// One entry, unchanged: copies, permutations and diagonals are loops around it.
Codelet copying_codelet();
/// One entry set to zero.
Codelet zero_codelet();

/// Where a codelet's entries lie and what they are multiplied by, in the program's variables. Only the locations of a
/// copying codelet may hold tables of indices, but on a GPU.
struct Placement {
    std::vector<Location> sources;
    std::vector<Location> targets;
    /// Before each of the codelet's further formulas, what its entries are multiplied by.
    std::vector<std::vector<std::vector<MetDiagonal>>> between = {};
};

/// An entry of one of the caller's vectors.
struct CallersEntry {
    Memory memory;
    Location place;
};

/// targets = codelet(sources) for every iteration of `loops`, which are independent: an iteration may write over its
/// own sources, never over another's.
struct Call {
    Codelet codelet;
    Memory input;
    Memory output;
    bool complex; ///< of the entries as the codelet sees them
    Placement placement;
    std::vector<Loop> loops;
    std::optional<Affine> limit =
        {}; ///< on a GPU: nothing is done in iterations of the loops around, and of its own, where it is not negative
    /// On a GPU, a further entry that the codelet's formulas have before all others: read from one of the caller's vectors, and
    /// written to another; rows and columns are without it.
    std::optional<CallersEntry> first_source = {};
    std::optional<CallersEntry> first_target = {};
};

/// What the call reads and writes: input and output, and those of its first entries.
std::vector<Memory> memories_of(const Call& call);

struct Node;
using Nodes = std::vector<Node>;

/// `body` for each value of the variable, in order.
struct Nest {
    Loop loop;
    Nodes body;
};

struct Node {
    std::variant<Call, Nest> node;
};

/// What a Memory names: one of the caller's vectors, or a temporary.
struct Array {
    enum class Role : std::uint8_t { input, output, data, temporary }; ///< data: input and output in one
    Role role;
    Memory::Kind kind;
    Integer first;              ///< lowest entry reached; negative strides make it negative
    Integer elements;           ///< entries from there on
    bool per_iteration = false; ///< a temporary of one iteration of an outermost nest; threads have one each
    /// Of a temporary on a GPU. Several lie side by side where several transforms are worked on at once.
    enum class Residence : std::uint8_t { global, shared };
    Residence residence = Residence::global;
    Integer copies = 1;
    Integer pitch = 0;    ///< entries from one copy to the next
    bool gapless = false; ///< nothing is left out between copies: their banks differ as it is
    Integer cluster_part =
        0;               ///< entries in each block's part of what a cluster's blocks share; 0: they do not
    bool unused = false; ///< by the kernel: no buffer of it
    /// Entries at even and at odd indices are real and imaginary parts, which the caller keeps in two arrays: no access may reach
    /// both.
    bool parts_apart = false;
};

/// Σ-SPL in executable form. Variables of nests hold inside them; those of calls inside their call.
struct LoopProgram {
    std::vector<Array> arrays; ///< indexed by Memory::array
    Extents extents;           ///< of all variables
    Nodes body;
};

/// "in", "out", "data" or "t0", "t1", …
std::string name_of(const LoopProgram& program, int array);

/// One line a loop, call or temporary, e.g.
///   for i0 < 4:
///     t0[i0; i0 + 4] = DFT(2) in[2·i0; 2·i0 + 8]
std::string to_text(const LoopProgram& program);

} // namespace swirl::lower
