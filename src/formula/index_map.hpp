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
/// base + Σ stride_q·d_q, reduced modulo `modulus` unless that is 0. The base may contain variables of enclosing
/// iterative sums. Covers, with modulus 0, identity, h_{b,s}, stride permutations and their tensor products with
/// identities; with a modulus, reversal and the Good–Thomas maps.
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

/// Digit maps without variables on consecutive parts of the domain: i ↦ pieces[p](i − total domain of preceding
/// pieces).
struct PiecewiseMap {
    std::vector<DigitMap> pieces;
    bool operator==(const PiecewiseMap&) const = default;
};

/// A function {0…domain−1} → {0…range−1}: the index map of permutations, gathers and scatters.
class IndexMap {
public:
    using Kind = std::variant<DigitMap, PowerMap, TableMap, PiecewiseMap>;

    /// Throws InternalError if a value lies outside 0…range−1 (with variables 0).
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
    /// Concatenates maps with a common range; omits pieces of domain 0.
    static IndexMap piecewise(std::vector<DigitMap> pieces, Integer range);

    Integer domain() const { return domain_; }
    Integer range() const { return range_; }
    const Kind& kind() const { return kind_; }
    /// Whether the map is a bijection of 0…domain−1 for all values of the variables.
    bool is_permutation() const;
    bool is_identity() const;
    bool has_variables() const;

    using Environment = std::function<Integer(Variable)>;
    /// Value at i; `environment` holds the variables of enclosing iterative sums (absent: all 0).
    Integer operator()(Integer i, const Environment& environment = {}) const;
    /// The values at 0…domain−1. Throws InternalError if one lies outside 0…range−1.
    std::vector<Integer> values(const Environment& environment = {}) const;

    /// outer ∘ inner. The result is a digit map if the digits allow it, else a table. Throws InternalError if neither
    /// is possible: maps with variables whose digits do not fit. A variable in inner's base is assumed to be as large as
    /// inner's range permits.
    friend IndexMap compose(const IndexMap& outer, const IndexMap& inner);
    /// The same, or nothing where it throws.
    friend std::optional<IndexMap> try_compose(const IndexMap& outer, const IndexMap& inner);
    /// The inverse of a permutation.
    IndexMap inverse() const;
    /// (i, j) ↦ (a(i), b(j)): the map of a Kronecker product of permutations.
    friend IndexMap tensor(const IndexMap& a, const IndexMap& b);
    /// The same map with contiguous adjacent digits merged, without a modulus that the digits never reach, and with
    /// tables replaced by digit maps where possible. Equal maps that need no modulus then compare equal.
    IndexMap canonical() const;

    bool operator==(const IndexMap&) const = default;
    std::size_t hash() const;

private:
    Integer domain_;
    Integer range_;
    Kind kind_;
};

/// Whether the map's form shows that no two indices have the same value: each digit's stride exceeds the range of the digits
/// with smaller ones. False for some injective maps.
bool has_separate_digits(const IndexMap& map);

/// Size of a digit map's domain.
Integer domain_of(const DigitMap& map);

IndexMap compose(const IndexMap& outer, const IndexMap& inner);
std::optional<IndexMap> try_compose(const IndexMap& outer, const IndexMap& inner);
IndexMap tensor(const IndexMap& a, const IndexMap& b);

} // namespace swirl::formula
