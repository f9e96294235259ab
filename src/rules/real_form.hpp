#pragma once

#include "rules/rule.hpp"

namespace swirl::rules {

/// The formula with every RealOf of a small terminal term expanded to real matrices, so that the whole acts on complex
/// as well as on real vectors. Diagonals become one 2×2 matrix per entry: for straight-line sizes only.
Formula without_real_of(const Formula& formula);

} // namespace swirl::rules
