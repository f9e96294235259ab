#pragma once

#include "rules/rule.hpp"

/// The symmetric form of a DFT of odd size p = 2h+1, shared by complex and real base cases: inputs j and p−j have equal
/// cosines and opposite sines.
namespace swirl::rules {

/// x ↦ x[0], then the sums x[j] + x[p−j], then the differences x[j] − x[p−j], j = 1…h.
Formula fold(Integer p);

/// [w·cos(2πjk/p)], k, j = 0…h, where w is `weight` for j > 0 and 1 for j = 0. For p = 5 by two butterflies and three
/// multiplications (Winograd 1978), otherwise one dense matrix.
Formula cosine_matrix(Integer p, long double weight);

} // namespace swirl::rules
