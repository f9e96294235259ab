#pragma once

#include "formula/formula.hpp"

namespace swirl::rules {

/// The term with wavelet transforms and filters as loops over small matrices:
///
///   M = S · (A ⊕ (I_c ⊗ B) ⊕ C) · G
///
/// B is a group of rows that repeats, G reads the samples of each group, which overlap, S stores the results of all groups
/// where they belong, and A and C are the groups near the ends (formula/band_matrix.hpp). A transform of several levels is
///
///   DWT_L(n) = (DWT_{L−1}(m) ⊕ I_m) · DWT_1(n),   IDWT_L(n) = IDWT_1(n) · (IDWT_{L−1}(m) ⊕ I_m).
///
/// Mallat (1989).
formula::Formula without_filters(const formula::Formula& formula);

} // namespace swirl::rules
