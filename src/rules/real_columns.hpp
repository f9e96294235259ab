#pragma once

#include "rules/building_blocks.hpp"

namespace swirl::rules {

/// ODFT_k of real data, or k times its inverse: the transform with ω_2k^{j(2t+1)} for the column of frequency m/2 in a
/// real Cooley–Tukey step.
///
///   ODFT_k = RDFT_k · diag((−1)^j)                                  k odd, its frequencies counted down from n/2
///   ODFT_k = RealOf(DFT_{k/2} · diag(ω_2k^j)) on y_j − i·y_{j+k/2}   k even, giving frequencies 1, 5, 9, … of 2k
///
/// For even k the data are y_0, y_{k/2}, y_1, y_{k/2+1}, ….
Formula odd_frequencies(Integer k, Direction direction);

} // namespace swirl::rules
