#pragma once

#include "rules/rule.hpp"

#include <span>

/// Real transforms of several dimensions.
namespace swirl::rules {

/// The real DFT over all dimensions of a row-major array; omits lengths of 1 before the last one, which is above 1. Forward, of
/// n_1 × … × n_d reals: the DFTs along the other dimensions of the half spectra of the rows. Its rows are the
/// (re, im) pairs of n_1 × … × n_{d−1} × (n_d/2+1) complex numbers. Backward: unnormalised inverse.
///
///   RealOf(DFT_{n_1} ⊗ … ⊗ DFT_{n_{d−1}} ⊗ I_h) · (I ⊗ H_n RDFT_n),   n = n_d, h = ⌊n/2⌋ + 1
///
/// H_n stores halfcomplex entries as pairs, with zeros for the missing imaginary components.
Formula rdft_multidimensional(std::span<const Integer> lengths, Direction direction);

/// Whether the formula is such a transform.
bool is_rdft_multidimensional(const Formula& f);

/// Whether the formula is a Kronecker product of transforms of real data.
bool is_real_kronecker(const Formula& f);

} // namespace swirl::rules
