#pragma once

#include "formula/formula.hpp"

namespace swirl::rules {

/// A permutation of reals that pairs up entries, in two maps: the pairs' parts from where each group of them lies
/// together, and these groups from memory, piece by piece. So both are affine where loops run over the pairs.
struct Pairing {
    formula::IndexMap parts;
    formula::IndexMap pieces;

    formula::Formula apart() const;
    formula::Formula back() const;
};

/// The halfcomplex spectrum of n reals as r_0 [r_{n/2}] r_1 i_1 r_2 i_2 …
Pairing pairs_of_spectrum(Integer n);
/// x[2j] beside x[n−1−2j], n even.
Pairing pairs_of_mirrored(Integer n);

} // namespace swirl::rules
