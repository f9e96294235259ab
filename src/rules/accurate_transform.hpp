#pragma once

#include "rules/rule.hpp"

#include <span>
#include <vector>

namespace swirl::rules {

/// A transform of a vector in long double by O(n log n) operations, for any nonterminal whose entries are known, and for
/// chirp-z transforms. Shares
/// nothing with generated code. Complex vectors are transformed linearly, by real transforms too.
std::vector<formula::Complex> accurate_transform(const Formula& nonterminal,
                                                 std::span<const formula::Complex> x);

} // namespace swirl::rules
