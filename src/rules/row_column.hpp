#pragma once

#include "rules/rule.hpp"

#include <span>

namespace swirl::rules {

/// DFT_{n_1} ⊗ … ⊗ DFT_{n_d}: the DFT over all dimensions of a row-major array; omits lengths of 1.
Formula dft_multidimensional(std::span<const Integer> lengths, Direction direction);

} // namespace swirl::rules
