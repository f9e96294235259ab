#pragma once

#include "formula/formula.hpp"
#include "lower/arithmetic.hpp"

#include <vector>

namespace swirl::lower {

/// formula · x as straight-line arithmetic. Breaks down remaining transforms by rules::cheapest_straight_line. The
/// result may be scaled: apply Arithmetic::settle.
std::vector<Scaled> straight_line(const formula::Formula& formula, const std::vector<Scaled>& x,
                                  Arithmetic& arithmetic);

} // namespace swirl::lower
