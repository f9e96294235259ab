#pragma once

#include "rules/rule.hpp"

#include <span>

namespace swirl::rules {

/// DFT_{n_1} ⊗ … ⊗ DFT_{n_d}: the DFT over all dimensions of a row-major array; lengths of 1 are left out.
Formula dft_multidimensional(std::span<const Integer> lengths, Direction direction);

} // namespace swirl::rules
