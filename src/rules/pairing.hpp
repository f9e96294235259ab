#pragma once

#include "formula/formula.hpp"

namespace swirl::rules {

/// A permutation of reals that forms (re, im) pairs, in two maps: `parts` interleaves the components, which each group
/// stores separately; `pieces` collects the groups from memory. Both maps are affine in loops over the pairs.
struct Pairing {
    formula::IndexMap parts;
    formula::IndexMap pieces;

    formula::Formula apart() const;
    formula::Formula back() const;
};

/// The halfcomplex spectrum of n reals as r_0 [r_{n/2}] r_1 i_1 r_2 i_2 …
Pairing pairs_of_spectrum(Integer n);
/// Pairs x[2j] with x[n−1−2j], n even.
Pairing pairs_of_mirrored(Integer n);

} // namespace swirl::rules
