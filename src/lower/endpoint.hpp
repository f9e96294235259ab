#pragma once

#include "formula/formula.hpp"
#include "ir/program.hpp"
#include "lower/index_algebra.hpp"
#include "lower/lower.hpp"

#include <functional>
#include <optional>
#include <variant>
#include <vector>

namespace swirl::lower {

/// One or two buffers that hold a vector. Real: entry e is scalar e of `re`, and `im` is the same buffer. Complex: scalars 2e and 2e+1 of `re`
/// when interleaved, else scalar e of `re` and of `im`.
struct Memory {
    enum class Kind : std::uint8_t { real, interleaved, planar };
    Kind kind = Kind::interleaved;
    ir::Buffer re = 0;
    ir::Buffer im = 0;
};

/// x ↦ base + stride·x: the part of a longer vector that a factor of a Kronecker product or direct sum sees.
struct View {
    Affine base;
    Integer stride;
};

/// Complex entry e seen as the real entries 2e and 2e+1: below it, the index is that of a real vector.
struct Pairs {};

/// What lies between a factor's index and memory. A diagonal leaves the index alone and multiplies the entry.
using Stage = std::variant<View, Layout, formula::IndexMap, formula::Diagonal, Pairs>;

/// A table of indices over loop variables that stands in for an index map that is not affine in them.
struct IndexTable {
    using Lookup = std::function<Integer(Variable)>;
    Variable symbol;                 ///< names the table's value inside an affine form
    std::vector<Variable> variables; ///< what it is indexed by
    std::function<Integer(const Lookup&)> value;
};

/// A diagonal met on the way, at the index it is met with.
struct MetDiagonal {
    formula::Diagonal diagonal;
    Affine index;
    std::optional<IndexTable> table; ///< whose symbol the index names
};

/// Where one entry lies and what it is multiplied by.
struct Location {
    Affine re;
    Affine im; ///< of the imaginary part; the same as `re` in planar memory and for reals
    std::vector<MetDiagonal> diagonals;
    std::optional<IndexTable> table;
};

/// A factor's input or output: memory behind a chain of stages.
class Endpoint {
public:
    explicit Endpoint(Memory memory) : memory_(memory) {}

    const Memory& memory() const { return memory_; }

    /// Whether the factor sees complex entries (some memory of reals is seen as pairs).
    bool is_complex() const;

    /// Whether complex entries can be seen here as pairs of the reals: no diagonal on the way, maps affine over all of
    /// the n entries and taking neighbours where both can be located.
    bool can_pair(Integer n, Extents extents, Variable fresh) const;

    /// The same memory seen through one more stage, nearest to the factor.
    Endpoint through(Stage stage) const;

    /// The same endpoint with `form` for `variable` in every view.
    Endpoint substitute(Variable variable, const Affine& form) const;

    /// Location of entry `index`, an affine form of variables with known extents. Nothing when a map is not affine
    /// and `symbol` is absent; with a symbol (a fresh variable), such a map becomes an index table.
    std::optional<Location> locate(const Affine& index, Extents& extents,
                                   std::optional<Variable> symbol = {}) const;

    /// Radices of the first map (nearest the factor) whose digits are not affine in one loop over the whole vector;
    /// empty when there is none.
    std::vector<Integer> radices_for(Integer size, Extents extents, Variable fresh) const;

private:
    Memory memory_;
    std::vector<Stage> stages_; ///< outermost (memory side) first
};

} // namespace swirl::lower
