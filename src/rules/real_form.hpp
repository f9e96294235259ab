#pragma once

#include "rules/rule.hpp"

namespace swirl::rules {

/// The formula with every RealOf of a small terminal term written out in real matrices, so that the whole may act on
/// complex vectors as well as on real ones. Diagonals become one 2×2 matrix an entry: for straight-line sizes only.
Formula without_real_of(const Formula& formula);

} // namespace swirl::rules
