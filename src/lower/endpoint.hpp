#pragma once

#include "formula/formula.hpp"
#include "lower/index_algebra.hpp"
#include "lower/lower.hpp"

#include <functional>
#include <optional>
#include <variant>
#include <vector>

namespace swirl::lower {

/// A vector: an array of the loop program and how its entries lie.
struct Memory {
    enum class Kind : std::uint8_t {
        real,
        interleaved, ///< complex entry e is the scalars 2e and 2e+1
        planar,      ///< real and imaginary parts lie apart, each at e
    };
    Kind kind = Kind::interleaved;
    int array = 0;
};

/// x ↦ base + stride·x: the part of a longer vector that a factor of a Kronecker product or direct sum sees.
struct View {
    Affine base;
    Integer stride;
};

/// Complex entry e seen as the real entries 2e and 2e+1: below it, the index is that of a real vector.
struct Pairs {};

/// Entries are multiplied by those of an array of the caller's: an index is mapped, then, of the views the innermost first,
/// becomes one of the whole vector, whose factors lie by `layout`.
struct BesideFactor {
    formula::IndexMap map;
    std::vector<View> views; ///< outermost first
    Layout layout;
};

/// What lies between a factor's index and memory. A diagonal leaves the index alone and multiplies the entry; one of the
/// caller's is a BesideFactor here.
using Stage = std::variant<View, Layout, formula::IndexMap, formula::Diagonal, BesideFactor, Pairs>;

/// A table of indices over loop variables that stands in for an index map that is not affine in them.
struct IndexTable {
    using Lookup = std::function<Integer(Variable)>;
    Variable symbol;                 ///< names the table's value inside an affine form
    std::vector<Variable> variables; ///< what it is indexed by
    std::function<Integer(const Lookup&)> value;
};

/// A diagonal met on the way, at the index it is met with; of one of the caller's, the place in its array.
struct MetDiagonal {
    formula::Diagonal diagonal;
    Affine index;
    std::optional<IndexTable> table = {}; ///< gives the value of its symbol, where `index` names that
};

/// Where one entry lies, in scalars, and what it is multiplied by.
struct Location {
    Affine re;
    Affine im;                ///< of the imaginary part; the same as `re` in planar memory and for reals
    bool re_negative = false; ///< memory holds −re
    bool im_negative = false;
    std::vector<MetDiagonal> diagonals;
    std::optional<IndexTable> table;
    /// In the caller's memory, where something is done to each number (see Pointwise): forms of the number's place; of a pair
    /// of reals those of each. Else none.
    std::vector<std::vector<Affine>> forms = {};
    /// On a GPU, of an entry that there is only where the form is negative: else a source is zero, and a target goes nowhere.
    std::optional<Affine> limit = {};

    bool is_nowhere() const { return limit && limit->is_constant() && limit->constant() >= 0; }
};

/// Whether the entries of one side, if there are any, are looked up in a table.
inline bool is_tabled(const std::vector<Location>& places) { return !places.empty() && places.front().table; }

/// A factor's input or output: memory behind a chain of stages.
class Endpoint {
public:
    explicit Endpoint(Memory memory) : memory_(memory) {}

    const Memory& memory() const { return memory_; }

    /// Whether the factor sees complex entries (some memory of reals is seen as pairs).
    bool is_complex() const;

    /// Whether complex entries can be seen here as pairs of the reals: no diagonal on the way but of signs or of one real
    /// number, and maps
    /// affine over each of `blocks` blocks of `n` entries, within which an index is `within`.
    bool can_pair(Integer blocks, Integer n, const Affine& within, Extents& extents) const;

    /// The same memory seen through one more stage, nearest to the factor.
    Endpoint through(Stage stage) const;

    /// The same endpoint with `form` for `variable` in every view.
    Endpoint substitute(Variable variable, const Affine& form) const;

    /// Location of entry `index`, an affine form of variables with known extents. Nothing when a map is not affine
    /// and `symbol` is absent; with a symbol (a fresh variable), such a map becomes an index table.
    std::optional<Location> locate(const Affine& index, Extents& extents,
                                   std::optional<Variable> symbol = {}) const;

    /// Where a loop over `size` entries must be cut for the first map that is not affine in it to be affine in each part,
    /// 0 < cut < size, of a layout after its whole rows; empty when that map has no pieces or there is none.
    std::vector<Integer> cuts_for(Integer size, Extents extents, Variable fresh) const;
    /// The same of a loop around, for one entry in each iteration.
    std::vector<Integer> cuts_of(Variable variable, const Affine& entry, Extents extents) const;

    /// Where a loop over `size` entries must be cut for diagonals of a few constants, each for a range of entries, to be constant in
    /// each part, 0 < cut < size.
    std::vector<Integer> diagonal_cuts_for(Integer size, Extents extents, Variable fresh) const;

    /// Counts of the innermost values of `variable` that the first map not affine at entry 0 takes apart: were the
    /// loop over it split into two, the inner one of such a count, that map's digits might be affine in them.
    std::vector<Integer> split_counts(Variable variable, Extents extents) const;

    /// Radices of the first map (nearest the factor) whose digits are not affine in one loop over the whole vector;
    /// empty when there is none.
    std::vector<Integer> radices_for(Integer size, Extents extents, Variable fresh) const;

private:
    Memory memory_;
    std::vector<Stage> stages_; ///< outermost (memory side) first
};

} // namespace swirl::lower
