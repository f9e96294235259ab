#pragma once

#include "formula/pattern.hpp"

#include <optional>
#include <utility>

/// Terms and side conditions shared by several families of rewrite rules.
namespace swirl::rules {

using formula::Formula;
using formula::Match;

inline bool neither_is_identity(const Match& m) {
    return !m["A"].is<formula::Identity>() && !m["B"].is<formula::Identity>();
}

/// Whether P and Q are permutations or identities.
inline bool both_move_data(const Match& m) {
    const auto moves = [](const Formula& f) {
        return f.is<formula::Permutation>() || f.is<formula::Identity>();
    };
    return moves(m["P"]) && moves(m["Q"]);
}

inline const formula::IndexMap& map_of(const Formula& permutation) {
    return permutation.get_if<formula::Permutation>()->map;
}

/// The permutation as I_k ⊗ L or L ⊗ I_k if it has that form, otherwise unchanged.
inline Formula shown_as_product(const formula::IndexMap& map) {
    const auto* digits = std::get_if<formula::DigitMap>(&map.kind());
    if (digits && digits->modulus == 0 && digits->radices.size() == 3) {
        const Integer first = digits->radices.front(), last = digits->radices.back(), n = map.domain();
        const auto identity = [](Integer k) { return formula::IndexMap::identity(k); };
        const auto left = formula::IndexMap::stride_permutation(n / last, first);
        if (map == tensor(left, identity(last)).canonical())
            return kron(formula::permutation(left), formula::I(last));
        const auto right = formula::IndexMap::stride_permutation(n / first, digits->radices[1]);
        if (map == tensor(identity(first), right).canonical())
            return kron(formula::I(first), formula::permutation(right));
    }
    return formula::permutation(map);
}

/// P ⊗ Q as one permutation.
inline Formula tensor_permutation(const Match& m) {
    const auto map = [&](const char* name) {
        return m[name].is<formula::Identity>() ? formula::IndexMap::identity(m.size(name)) : map_of(m[name]);
    };
    return formula::permutation(tensor(map("P"), map("Q")));
}

/// {m, n} of a stride permutation L^mn_m other than the identity.
inline std::optional<std::pair<Integer, Integer>> stride_sizes(const Formula& permutation) {
    const auto* digits = std::get_if<formula::DigitMap>(&map_of(permutation).kind());
    if (!digits || digits->radices.size() != 2) return std::nullopt;
    const Integer m = digits->radices[0], n = digits->radices[1];
    return permutation == formula::L(m * n, m) ? std::optional(std::pair(m, n)) : std::nullopt;
}

} // namespace swirl::rules
