#pragma once

#include "base/affine.hpp"
#include "base/integer.hpp"

#include <functional>
#include <memory>
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

/// A function {0…domain−1} → {0…range−1}, the index part of permutations, gathers and scatters.
class IndexMap {
public:
    using Kind = std::variant<DigitMap, PowerMap, TableMap>;

    /// Throws InternalError when a value falls outside 0…range−1 (variables taken as 0).
    IndexMap(Integer domain, Integer range, Kind kind);

    static IndexMap identity(Integer n);
    /// h_{base,stride}: i ↦ base + stride·i (Franchetti, Voronenko, Püschel 2005, table 1).
    static IndexMap strided(Integer domain, Integer range, const Affine& base, Integer stride);
    /// The map of L^{mn}_m: (L x)[i] = x[ℓ(i)]. With mn = rows of n: L^{mn}_m reads x at stride m, so that
    /// L^{mn}_m(A_m ⊗ B_n) = (B_n ⊗ A_m)L^{mn}_m in the convention of the tutorial's eq. 16.
    static IndexMap stride_permutation(Integer size, Integer stride);
    /// i ↦ n−1−i.
    static IndexMap reversal(Integer n);
    static IndexMap table(std::vector<Integer> values, Integer range);

    Integer domain() const { return domain_; }
    Integer range() const { return range_; }
    const Kind& kind() const { return kind_; }
    bool is_permutation() const;

    using Environment = std::function<Integer(Variable)>;
    /// Value at i; `environment` gives the variables of enclosing iterative sums (absent: all 0).
    Integer operator()(Integer i, const Environment& environment = {}) const;

    /// outer ∘ inner; digit maps stay digit maps where the digits allow it, else a table.
    friend IndexMap compose(const IndexMap& outer, const IndexMap& inner);
    /// The inverse of a permutation.
    IndexMap inverse() const;
    /// (i, j) ↦ (a(i), b(j)): the map of a Kronecker product of permutations.
    friend IndexMap tensor(const IndexMap& a, const IndexMap& b);
    /// The same map with adjacent digits that lie contiguously merged; equal maps then compare equal.
    IndexMap canonical() const;

    bool operator==(const IndexMap&) const = default;
    std::size_t hash() const;

private:
    Integer domain_;
    Integer range_;
    Kind kind_;
};

} // namespace swirl::formula
