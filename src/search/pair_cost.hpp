#pragma once

#include "search/cost_model.hpp"

#include <vector>

namespace swirl::search {

/// Estimates candidates for a DFT of n points anew, and sorts them, where the transform is so small that it is lowered to
/// vectors of complex numbers (lower/pair_lowering.hpp): all in registers, and vectors half as many lanes long.
void estimate_in_pairs(std::vector<Candidate>& candidates, Integer n, double lanes);

} // namespace swirl::search
