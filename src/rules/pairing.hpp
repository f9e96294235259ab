#pragma once

#include "formula/formula.hpp"

namespace swirl::rules {

/// A permutation of reals that forms (re, im) pairs, in two maps: `groups` collects groups of like components from
/// memory, `components` interleaves them. Both maps are affine in loops over the pairs.
struct Pairing {
    formula::IndexMap components;
    formula::IndexMap groups;

    formula::Formula pack() const;
    formula::Formula unpack() const;
};

/// The halfcomplex spectrum of n reals as r_0 [r_{n/2}] r_1 i_1 r_2 i_2 …
Pairing pairs_of_spectrum(Integer n);
/// Multiplies the halfcomplex spectrum of `points` reals by entries first + step·k of the spectrum of n reals; those of the
/// real frequencies are 0 or n/2.
formula::Formula halfcomplex_product(Integer points, const formula::DiagonalFunction& spectrum, Integer n,
                                     Integer first, Integer step);
/// Pairs x[2j] with x[n−1−2j], n even.
Pairing pairs_of_mirrored(Integer n);

} // namespace swirl::rules
