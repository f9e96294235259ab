#pragma once

#include "formula/formula.hpp"
#include "loops/index_algebra.hpp"
#include "loops/layout.hpp"

#include <functional>
#include <optional>
#include <variant>
#include <vector>

namespace swirl::loops {

/// A vector: an array of the loop program and the storage format of its entries.
struct Memory {
    enum class Kind : std::uint8_t {
        real,
        interleaved, ///< complex entry e occupies scalars 2e and 2e+1
        planar,      ///< real and imaginary components in separate arrays, each at e
    };
    Kind kind = Kind::interleaved;
    int array = 0;
};

/// x ↦ base + stride·x: the subvector that a factor of a Kronecker product or direct sum sees.
struct View {
    Affine base;
    Integer stride;
};

/// Complex entry e viewed as the real entries 2e and 2e+1; maps below act on the index of a real vector.
struct Pairs {};

/// Multiplies entries by those of a caller's array. The index goes through `map`, then through `views` (innermost
/// first) to an index of the whole vector; `layout` gives the address of that index's factor.
struct AuxiliaryDiagonal {
    formula::ArgumentFunction function;
    formula::IndexMap map;
    std::vector<View> views; ///< outermost first
    Layout layout;
};

/// One map between a factor's index and memory. A diagonal keeps the index and multiplies the entry; a diagonal from a
/// caller's array appears as an AuxiliaryDiagonal.
using AccessMap = std::variant<View, Layout, formula::IndexMap, formula::Diagonal, AuxiliaryDiagonal, Pairs>;

/// A table of indices over loop variables, in place of an index map that is not affine in them.
struct IndexTable {
    using Lookup = std::function<Integer(Variable)>;
    Variable symbol;                 ///< stands for the table's value in an affine form
    std::vector<Variable> variables; ///< that index the table
    std::function<Integer(const Lookup&)> value;
};

/// A diagonal folded into an access, with the index at which it is applied; for a diagonal of the caller's, the offset
/// in its array.
struct FoldedDiagonal {
    formula::Diagonal diagonal;
    Affine index;
    std::optional<IndexTable> table = {}; ///< gives the value of its symbol, if `index` contains one
    bool conjugate = false;               ///< of a diagonal of the caller's: multiplies by the conjugate
};

/// Address of one entry, in scalars, and what the entry is multiplied by.
struct Location {
    Affine re;
    Affine im;                ///< of the imaginary component; equals `re` in planar memory and for reals
    bool re_negative = false; ///< memory holds −re
    bool im_negative = false;
    std::vector<FoldedDiagonal> diagonals;
    std::optional<IndexTable> table;
    /// In the caller's memory, where a callback applies (see Pointwise): the forms of the element's location, or of
    /// each element of a pair of reals. Else empty.
    std::vector<std::vector<Affine>> forms = {};
    /// On a GPU, if set, the entry exists only where the form is negative: elsewhere a source is zero and a target is
    /// not written.
    std::optional<Affine> limit = {};
    /// On a GPU, if set, the imaginary component exists only where this form is negative, too.
    std::optional<Affine> im_limit = {};
    double pair_factor =
        1; ///< of a source: multiplies the entry where im_limit lets its imaginary component exist

    bool is_real() const { return im_limit && im_limit->is_constant() && im_limit->constant() >= 0; }
    bool is_nowhere() const { return limit && limit->is_constant() && limit->constant() >= 0; }
};

/// Whether the entries of one side, if any, are addressed through an index table.
inline bool is_tabled(const std::vector<Location>& locations) {
    return !locations.empty() && locations.front().table;
}

/// Whether a callback applies to the entries of one side, if any.
inline bool has_callback(const std::vector<Location>& locations) {
    return !locations.empty() && !locations.front().forms.empty();
}

/// A factor's input or output: memory behind a chain of access maps.
class Endpoint {
public:
    explicit Endpoint(Memory memory) : memory_(memory) {}

    const Memory& memory() const { return memory_; }

    /// Whether the factor sees complex entries (real memory may be viewed as pairs).
    bool is_complex() const;

    /// Whether complex entries can be viewed here as pairs of reals: diagonals on the way contain only signs or a
    /// single real constant, and maps are affine over each of `blocks` blocks of `n` entries, within which an index is
    /// `within`.
    bool can_pair(Integer blocks, Integer n, const Affine& within, Extents& extents) const;

    /// The same memory viewed through one more access map, nearest to the factor.
    Endpoint through(AccessMap access_map) const;

    /// The same endpoint with `form` substituted for `variable` in every view.
    Endpoint substitute(Variable variable, const Affine& form) const;

    /// Location of entry `index`, an affine form of variables with known extents. Nothing if a map is not affine and
    /// `symbol` is absent; with a symbol (a fresh variable), such a map becomes an index table.
    std::optional<Location> locate(const Affine& index, Extents& extents,
                                   std::optional<Variable> symbol = {}) const;

    /// Where to cut a loop over `size` entries so that the first non-affine map is affine in each range, 0 < cut <
    /// size; for a layout, cuts after whole rows. Empty if that map has no pieces or all maps are affine.
    std::vector<Integer> cuts_for(Integer size, Extents extents, Variable fresh) const;
    /// The same for an outer loop, for one entry in each iteration.
    std::vector<Integer> cuts_of(Variable variable, const Affine& entry, Extents extents) const;

    /// Where to cut a loop over `size` entries so that diagonals of a few constants, each for a range of entries, are
    /// constant in each range, 0 < cut < size.
    std::vector<Integer> diagonal_cuts_for(Integer size, Extents extents, Variable fresh) const;

    /// Counts of the innermost values of `variable` that the first map not affine at entry 0 separates. If the loop
    /// over it is split and the inner loop has such a count, that map's digits may be affine in both loops.
    std::vector<Integer> split_counts(Variable variable, Extents extents) const;

    /// Radices of the first map (nearest the factor) whose digits are not affine in one loop over the whole vector;
    /// empty if there is none.
    std::vector<Integer> radices_for(Integer size, Extents extents, Variable fresh) const;

private:
    Memory memory_;
    std::vector<AccessMap> access_maps_; ///< outermost (memory side) first
};

} // namespace swirl::loops
