#pragma once

#include "formula/formula.hpp"
#include "loops/endpoint.hpp"
#include "problem/data_type.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Σ-SPL: formulas as loops around codelets, the level between formula and ir. Portable kernels execute it.
namespace swirl::loops {

/// The tag vec(ν): iterations are lanes of vectors. `lead` iterations make one short vector, after which most accesses
/// are aligned; then come full vectors and the remainder. With `overlap`, lead and remainder are full vectors, too, which
/// repeat iterations of others, and run last.
struct Vec {
    Integer lanes;
    Integer lead = 0;
    bool overlap = false;
};

/// Where a loop's iterations run; of a loop with the tag vec(ν), where its vectors do. Passes place tags, lowering
/// obeys them.
enum class LoopTag : std::uint8_t {
    serial,
    unrolled,   ///< one after the other, as straight-line code
    smp,        ///< on several threads
    gpu_block,  ///< in blocks of a launch
    gpu_thread, ///< in threads of a block
};

struct Loop {
    Variable variable;
    Integer count;
    LoopTag tag = LoopTag::serial;
    std::optional<Vec> vec = {};
    Integer per_block = 1; ///< of a loop over blocks: neighbouring iterations that a block runs at once
};
/// Of the loops together: the product of their counts.
inline Integer iterations_of(const std::vector<Loop>& loops) {
    Integer iterations = 1;
    for (const Loop& loop : loops) iterations *= loop.count;
    return iterations;
}

/// Straight-line code from `columns` entries to `rows`, executed once per iteration of independent loops.
struct Codelet {
    Integer rows;
    Integer columns;
    std::optional<formula::Formula> formula; ///< absent: entries move unchanged (1×1) or become zero (1×0)
    std::vector<formula::Formula> then = {}; ///< applied afterwards, in this order
};

/// A formula evaluated straight-line.
Codelet codelet_of(const formula::Formula& formula);
/// One entry, unchanged: copies, permutations and diagonals are loops around it.
Codelet copying_codelet();
/// One entry set to zero.
Codelet zero_codelet();

/// The locations of a codelet's entries and their multipliers, in the program's variables. Only copying codelets may
/// use index tables, except on a GPU.
struct Placement {
    std::vector<Location> sources;
    std::vector<Location> targets;
    /// For each further formula of the codelet: the multipliers of its input entries.
    std::vector<std::vector<std::vector<FoldedDiagonal>>> between = {};
};

/// An entry of one of the caller's vectors.
struct BoundaryEntry {
    Memory memory;
    Location location;
};

/// targets = codelet(sources) for every iteration of `loops`. Iterations are independent: one may overwrite its own
/// sources, never another's.
struct Call {
    Codelet codelet;
    Memory input;
    Memory output;
    bool complex; ///< type of the entries that the codelet sees
    Placement placement;
    std::vector<Loop> loops;
    std::optional<Affine> limit =
        {}; ///< on a GPU: the call is skipped in iterations of surrounding or own loops where this is not negative
    /// On a GPU, an additional first entry of the codelet's formulas: read from one of the caller's vectors, and
    /// written to another. Rows and columns do not count it.
    std::optional<BoundaryEntry> first_source = {};
    std::optional<BoundaryEntry> first_target = {};
};

/// The memories that the call reads and writes: input, output, and those of its additional first entries.
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

/// The array behind a Memory: one of the caller's vectors, or a temporary.
struct Array {
    enum class Role : std::uint8_t { input, output, data, temporary }; ///< data: input and output in one
    Role role;
    Memory::Kind kind;
    Integer first;      ///< lowest entry accessed; negative strides make it negative
    Integer elements;   ///< entries from `first` on
    int nest_depth = 0; ///< nests of several iterations around a temporary; 0 if it belongs to none
    /// For a temporary on a GPU. If several transforms are processed at once, each has a copy.
    enum class Residence : std::uint8_t { global, shared };
    Residence residence = Residence::global;
    /// For a temporary in global memory on a GPU: the loops around all regions that access it. It has a copy per
    /// iteration.
    std::vector<Loop> users_in = {};
    Integer copies = 1;
    Integer pitch = 0;    ///< entries from one copy to the next
    bool gapless = false; ///< no padding between copies: their banks already differ
    Integer dsmem_elements_per_block =
        0;               ///< entries in each block's segment of a cluster's shared array; 0: not shared
    bool unused = false; ///< by the kernel, which has no buffer for it
    /// Entries at even and odd indices are real and imaginary components, which the caller keeps in two arrays: no
    /// access may touch both.
    bool split_complex = false;
};

/// Whether an array of scalars of this type is larger than caches of `cache_bytes`; 0: unknown, and none is.
bool exceeds_caches(const Array& array, DataType scalar, Integer cache_bytes);

/// Σ-SPL in executable form. A nest's variable is in scope inside the nest; a call's variables inside the call.
struct LoopProgram {
    std::vector<Array> arrays; ///< indexed by Memory::array
    Extents extents;           ///< of all variables
    Nodes body;
    /// Complex elements of a vector, if vectors hold them as pairs of neighbouring lanes; 0: the real and imaginary
    /// components are in vectors of their own.
    int pairs = 0;
};

/// "input", "output" or "data"; of temporaries "workspace_0", or "shared_0" in a GPU's shared memory.
std::string name_of(const LoopProgram& program, int array);

/// One line per loop, call or temporary, with the loops' tags, e.g.
///   for i0 < 4 vec(4):
///     workspace_0[i0; i0 + 4] = DFT(2) input[2·i0; 2·i0 + 8]
std::string to_text(const LoopProgram& program);

} // namespace swirl::loops
