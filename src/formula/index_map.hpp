#pragma once

#include "base/affine.hpp"
#include "base/integer.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace swirl::formula {

/// Splits i into mixed-radix digits d_0…d_{k−1} (most significant first, Π radices = domain) and maps it to
/// base + Σ stride_q·d_q, reduced modulo `modulus` unless that is 0. The base may name variables of enclosing
/// iterative sums. Covers identity, h_{b,s}, stride permutations and their tensor products with identities
/// (modulus 0), and with a modulus reversal and the Good–Thomas maps.
struct DigitMap {
    std::vector<Integer> radices;
    std::vector<Integer> strides;
    Affine base = 0;
    Integer modulus = 0;
    bool operator==(const DigitMap&) const = default;
};

/// i ↦ generator^i mod prime: Rader's reordering (1968).
struct PowerMap {
    Integer generator;
    Integer prime;
    bool operator==(const PowerMap&) const = default;
};

/// i ↦ table[i].
struct TableMap {
    std::shared_ptr<const std::vector<Integer>> table;
    bool operator==(const TableMap& other) const { return *table == *other.table; }
};

/// Digit maps without variables on consecutive pieces of the domain: i ↦ pieces[p](i − the domains before piece p).
struct PieceMap {
    std::vector<DigitMap> pieces;
    bool operator==(const PieceMap&) const = default;
};

/// A function {0…domain−1} → {0…range−1}, the index part of permutations, gathers and scatters.
class IndexMap {
public:
    using Kind = std::variant<DigitMap, PowerMap, TableMap, PieceMap>;

    /// Throws InternalError when a value falls outside 0…range−1 (variables taken as 0).
    IndexMap(Integer domain, Integer range, Kind kind);

    static IndexMap identity(Integer n);
    /// h_{base,stride}: i ↦ base + stride·i (Franchetti, Voronenko, Püschel 2005, table 1).
    static IndexMap strided(Integer domain, Integer range, const Affine& base, Integer stride);
    /// The map of L^{mn}_m: (L x)[i] = x[ℓ(i)], ℓ(i·n + j) = j·m + i. L^{mn}_m reads x at stride m, so that
    /// L^{mn}_m (B_n ⊗ A_m) = (A_m ⊗ B_n) L^{mn}_m, the convention of the tutorial's eq. 16.
    static IndexMap stride_permutation(Integer size, Integer stride);
    /// i ↦ n−1−i.
    static IndexMap reversal(Integer n);
    static IndexMap table(std::vector<Integer> values, Integer range);
    /// One map after the other, all with the given range; pieces of domain 0 are left out.
    static IndexMap piecewise(std::vector<DigitMap> pieces, Integer range);

    Integer domain() const { return domain_; }
    Integer range() const { return range_; }
    const Kind& kind() const { return kind_; }
    /// Whether the map is a bijection of 0…domain−1, whatever the variables.
    bool is_permutation() const;
    bool is_identity() const;
    bool has_variables() const;

    using Environment = std::function<Integer(Variable)>;
    /// Value at i; `environment` gives the variables of enclosing iterative sums (absent: all 0).
    Integer operator()(Integer i, const Environment& environment = {}) const;
    /// The values at 0…domain−1. Throws InternalError when one falls outside 0…range−1.
    std::vector<Integer> values(const Environment& environment = {}) const;
    /// The map with `value` in place of a variable.
    IndexMap substitute(Variable variable, const Affine& value) const;

    /// Number of values 0…count−1 that a variable takes; 0 where that is not known.
    using Counts = std::function<Integer(Variable)>;
    /// outer ∘ inner; digit maps stay digit maps where the digits allow it, else a table. Throws InternalError
    /// where neither will do: maps that name variables and whose digits do not fit.
    friend IndexMap compose(const IndexMap& outer, const IndexMap& inner, const Counts& counts);
    /// outer ∘ inner as above, or nothing where it cannot be expressed. A variable of unknown count in inner's base
    /// is taken to be as large as inner's range permits.
    friend std::optional<IndexMap> try_compose(const IndexMap& outer, const IndexMap& inner,
                                               const Counts& counts);
    /// The inverse of a permutation.
    IndexMap inverse() const;
    /// (i, j) ↦ (a(i), b(j)): the map of a Kronecker product of permutations.
    friend IndexMap tensor(const IndexMap& a, const IndexMap& b);
    /// The map q with this map = q ⊗ identity(size), where it moves whole blocks of neighbours; else nothing.
    std::optional<IndexMap> of_blocks(Integer size) const;
    /// The same map with adjacent digits that lie contiguously merged, the modulus dropped where the digits stay
    /// below it, and tables that follow digits turned into digits. Equal maps that need no modulus then compare
    /// equal.
    IndexMap canonical() const;

    bool operator==(const IndexMap&) const = default;
    std::size_t hash() const;

private:
    Integer domain_;
    Integer range_;
    Kind kind_;
};

/// Size of a digit map's domain.
Integer domain_of(const DigitMap& map);

IndexMap compose(const IndexMap& outer, const IndexMap& inner, const IndexMap::Counts& counts = {});
std::optional<IndexMap> try_compose(const IndexMap& outer, const IndexMap& inner,
                                    const IndexMap::Counts& counts = {});
IndexMap tensor(const IndexMap& a, const IndexMap& b);

} // namespace swirl::formula
